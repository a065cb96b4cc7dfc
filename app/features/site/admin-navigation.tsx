import { Link, NavLink, useLocation, useRouteLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { Badge } from "~/ui/badge";
import { classNames } from "~/ui/class-names";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import "~/ui/studio.css";

const PANEL = ["/admin?tab=manage", "Manage Videos"] as const;
/** The section with the list of series and a page for each series. */
const SERIES = "/admin/series";
const REPORTS = "/admin/reports";
const PAGES = [
  ["/admin/statistics", "Statistics"],
  ["/admin/activity", "Activity"],
  ["/admin/queue", "Processing"],
  ["/admin/tags", "Tags"],
  [SERIES, "Series"],
  ["/admin/import", "Import"],
  ["/admin/trash", "Trash"],
  [REPORTS, "Reports"],
  ["/admin/users", "Users"],
  ["/admin/account", "Account"],
] as const;

/** A page in the studio: its heading, the links to the other pages, and the error from the last form. */
export function AdminPage({
  title,
  above,
  lead,
  error,
  isNarrow = false,
  children,
}: {
  title: ReactNode;
  above?: ReactNode;
  lead?: ReactNode;
  error?: { toast: ToastMessage; detail?: string };
  isNarrow?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={classNames("flex flex-col gap-6", isNarrow && "mx-auto w-full max-w-3xl")}>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          {above}
          <h1 dir="auto" className="text-xl font-semibold wrap-anywhere">
            {title}
          </h1>
          {lead && <div className="text-sm text-muted wrap-anywhere">{lead}</div>}
        </div>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
      {children}
    </div>
  );
}

/** Links to the admin pages that the user may open, with the current one marked. The panel has separate tabs. */
export function AdminLinks() {
  const isPanel = useLocation().pathname === "/admin";
  const may = usePermissions();
  const pages = PAGES.filter(([to]) => may(to === SERIES ? "/admin/series/:id?" : to));
  return (
    <nav
      aria-label="Admin pages"
      className="flex flex-wrap text-sm max-sm:order-last sm:gap-x-1 max-sm:-mx-2 max-sm:w-full forced-colors:mx-0 sm:ml-auto"
    >
      {(isPanel || !may("/admin") ? pages : [PANEL, ...pages]).map(([to, label]) => (
        <NavLink
          key={to}
          to={to}
          end={to !== SERIES && to !== REPORTS}
          className={({ isActive }) =>
            classNames(
              "inline-flex min-h-11 items-center rounded-md px-2 sm:px-3 hover:bg-raised hover:text-ink",
              isActive ? "text-ink" : "text-muted",
            )
          }
        >
          {({ isActive }) => (
            <>
              <span
                className={isActive ? "underline decoration-accent underline-offset-8" : undefined}
              >
                {label}
              </span>
              {to === REPORTS && <WaitingReports />}
            </>
          )}
        </NavLink>
      ))}
    </nav>
  );
}

/** A badge with the number of open reports when the page was loaded. Renders nothing if there are none. */
function WaitingReports() {
  const root = useRouteLoaderData("root") as
    | { reports?: { open: number; overdue: number } }
    | undefined;
  const { open = 0, overdue = 0 } = root?.reports ?? {};
  if (open === 0) return null;
  return (
    <Badge tone={overdue > 0 ? "accent" : "plain"} className="ml-1.5">
      {shown(open)}
      <span className="sr-only"> open{overdue > 0 && `, ${shown(overdue)} overdue`}</span>
    </Badge>
  );
}

const shown = (count: number) => (count < 1_000 ? String(count) : "999+");

const TABS = [
  ["upload", "Upload Video", "/admin"],
  ["manage", "Manage Videos", "/admin?tab=manage"],
] as const;
export type Tab = (typeof TABS)[number][0];

/** The panel's tabs. They are links, so that the selected tab survives a reload and works without JavaScript. */
export function AdminTabs({ current }: { current: Tab }) {
  return (
    <nav aria-label="Admin" className="flex gap-1 border-b border-line">
      {TABS.map(([tab, label, to]) => (
        <Link
          key={tab}
          to={to}
          preventScrollReset
          aria-current={tab === current ? "page" : undefined}
          className={classNames(
            "-mb-px inline-flex min-h-11 items-center border-b-2 px-2 xs:px-4 font-medium transition-colors",
            tab === current
              ? "border-accent text-ink"
              : "border-transparent text-muted hover:text-ink",
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
