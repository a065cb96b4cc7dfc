import { Link } from "@remix-run/react";
import { classNames } from "~/ui/class-names";

export const TABS = ["upload", "manage"] as const;
export type Tab = (typeof TABS)[number];

const LABELS: Record<Tab, string> = { upload: "Upload Video", manage: "Manage Videos" };
const ADDRESSES: Record<Tab, string> = { upload: "/admin", manage: "/admin?tab=manage" };

/** The tabs of the panel. They are addresses, so that a reload and a page without scripts keep them. */
export function AdminTabs({ current }: { current: Tab }) {
  return (
    <nav aria-label="Admin" className="flex gap-1 border-b border-line">
      {TABS.map((tab) => (
        <Link
          key={tab}
          to={ADDRESSES[tab]}
          preventScrollReset
          aria-current={tab === current ? "page" : undefined}
          className={classNames(
            "-mb-px inline-flex min-h-11 items-center border-b-2 px-2 xs:px-4 font-medium transition-colors",
            tab === current
              ? "border-accent text-ink"
              : "border-transparent text-muted hover:text-ink",
          )}
        >
          {LABELS[tab]}
        </Link>
      ))}
    </nav>
  );
}
