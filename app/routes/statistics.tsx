import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import { requireUser } from "~/account/guard.server";
import { categoryLabel } from "~/catalogue/categories";
import { useLiveRefresh } from "~/live/use-live-refresh";
import { ColumnChart, RowChart } from "~/studio/chart";
import { PERIODS_DAYS, readPeriod, statisticsHref } from "~/studio/statistics";
import { readStatistics } from "~/studio/statistics.server";
import { formatStorage } from "~/studio/storage-text";
import { ButtonLink, buttonClass } from "~/ui/button";

export const meta: MetaFunction = () => [
  { title: "Statistics" },
  { name: "robots", content: "noindex" },
];

export async function loader({ request }: LoaderFunctionArgs) {
  await requireUser(request);
  const period = readPeriod(new URL(request.url).searchParams);
  return { period, statistics: await readStatistics(period) };
}

const NUMBER = new Intl.NumberFormat("en");
const DAY = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

export default function StatisticsPage() {
  useLiveRefresh();
  const { period, statistics } = useLoaderData<typeof loader>();
  const { days, videos, storage } = statistics;
  const views = days.reduce((sum, day) => sum + day.views, 0);
  const bytes = storage.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Statistics</h1>
        <ButtonLink to="/admin?tab=manage" variant="ghost" size="sm">
          <ArrowLeft aria-hidden="true" className="size-4" />
          Manage Videos
        </ButtonLink>
      </header>
      <nav aria-label="Period" className="flex gap-2">
        {PERIODS_DAYS.map((each) => (
          <Link
            key={each}
            to={statisticsHref(each)}
            preventScrollReset
            aria-current={each === period ? "page" : undefined}
            className={buttonClass(each === period ? "primary" : "secondary", "sm")}
          >
            {each} days
          </Link>
        ))}
      </nav>
      <ColumnChart
        title="Views by day"
        summary={`${NUMBER.format(views)} views in the last ${period} days (UTC).`}
        headings={["Day", "Views"]}
        bars={days.map(({ day, views }) => ({
          label: DAY.format(new Date(day)),
          value: views,
          text: NUMBER.format(views),
        }))}
      />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <RowChart
          title="Views by video"
          summary={`The most viewed in the last ${period} days.`}
          headings={["Video", "Views"]}
          empty="No views in this time."
          bars={videos.map(({ id, title, views }) => ({
            label: title,
            value: views,
            text: NUMBER.format(views),
            href: `/video/${encodeURIComponent(id)}`,
          }))}
        />
        <RowChart
          title="Storage by category"
          summary={`${formatStorage(bytes)} in all, derived files included.`}
          headings={["Category", "Storage"]}
          empty="No videos yet."
          bars={storage.map(({ category, bytes, videos }) => ({
            label: `${categoryLabel(category)} (${NUMBER.format(videos)})`,
            value: bytes,
            text: formatStorage(bytes),
          }))}
        />
      </div>
    </div>
  );
}
