import { Link } from "@remix-run/react";

const PAGES = [
  ["/admin/statistics", "Statistics"],
  ["/admin/activity", "Activity"],
  ["/admin/queue", "Queue"],
  ["/admin/account", "Account"],
] as const;

/** The other pages of the admin area. */
export function AdminLinks() {
  return (
    <nav
      aria-label="Admin pages"
      className="flex flex-wrap gap-x-1 text-sm max-sm:order-last max-sm:-mx-3 max-sm:w-full sm:ml-auto"
    >
      {PAGES.map(([to, label]) => (
        <Link
          key={to}
          to={to}
          className="inline-flex min-h-11 items-center rounded-md px-3 text-muted hover:bg-raised hover:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
