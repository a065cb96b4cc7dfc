import { Link, NavLink, useLocation } from "@remix-run/react";
import { classNames } from "~/ui/class-names";
import { usePermissions } from "./use-permissions";
import "~/ui/studio.css";

const PANEL = ["/admin?tab=manage", "Manage Videos"] as const;
/** The list, and a page for each. */
const SERIES = "/admin/series";
const PAGES = [
  ["/admin/statistics", "Statistics"],
  ["/admin/activity", "Activity"],
  ["/admin/queue", "Queue"],
  ["/admin/tags", "Tags"],
  [SERIES, "Series"],
  ["/admin/import", "Import"],
  ["/admin/trash", "Trash"],
  ["/admin/reports", "Reports"],
  ["/admin/users", "Users"],
  ["/admin/account", "Account"],
] as const;

/** The pages of the admin area that whoever sees them may open; the one that is shown is marked. The panel has tabs of its own. */
export function AdminLinks() {
  const isPanel = useLocation().pathname === "/admin";
  const may = usePermissions();
  const pages = PAGES.filter(([to]) => may(to === SERIES ? "/admin/series/:id?" : to));
  return (
    <nav
      aria-label="Admin pages"
      className="flex flex-wrap text-sm max-sm:order-last sm:gap-x-1 max-sm:-mx-2 max-sm:w-full forced-colors:mx-0 sm:ml-auto"
    >
      {(isPanel ? pages : [PANEL, ...pages]).map(([to, label]) => (
        <NavLink
          key={to}
          to={to}
          end={to !== SERIES && to !== "/admin/reports"}
          className={({ isActive }) =>
            classNames(
              "inline-flex min-h-11 items-center rounded-md px-2 sm:px-3 hover:bg-raised hover:text-ink",
              isActive ? "text-ink underline decoration-accent underline-offset-8" : "text-muted",
            )
          }
        >
          {label}
        </NavLink>
      ))}
    </nav>
  );
}

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
