import { Eye, Film, HardDrive, Layers } from "lucide-react";
import type { ReactNode } from "react";
import type { StudioStats } from "./admin-stats.server";

const NUMBER = new Intl.NumberFormat("en");

/** The admin panel's four statistics, or dashes if they aren't available. */
export function StatCards({ stats }: { stats: StudioStats | undefined }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(9rem,100%),1fr))] gap-3 lg:grid-cols-[repeat(auto-fit,minmax(min(14rem,100%),1fr))] lg:gap-4">
      <Card label="Total Videos" icon={<Film />}>
        {stats && NUMBER.format(stats.totalVideos)}
      </Card>
      <Card label="Total Views" icon={<Eye />}>
        {stats && NUMBER.format(stats.totalViews)}
      </Card>
      <Card label="Categories" icon={<Layers />}>
        {stats && NUMBER.format(stats.totalCategories)}
      </Card>
      <Card label="Storage Used" icon={<HardDrive />}>
        {stats?.storageUsed}
      </Card>
    </dl>
  );
}

function Card({ label, icon, children }: { label: string; icon: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-col-reverse justify-end gap-1 rounded-lg border border-line bg-surface p-3 sm:p-4 lg:p-5">
      <dd className="text-lg font-semibold figures lg:text-xl">{children ?? "–"}</dd>
      <dt className="flex items-center gap-2 text-sm text-muted [&_svg]:size-4">
        <span aria-hidden="true">{icon}</span>
        {label}
      </dt>
    </div>
  );
}
