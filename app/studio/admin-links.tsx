import { NavLink, useLocation } from "@remix-run/react";
import { classNames } from "~/ui/class-names";

const PANEL = ["/admin?tab=manage", "Manage Videos"] as const;
const PAGES = [
  ["/admin/statistics", "Statistics"],
  ["/admin/activity", "Activity"],
  ["/admin/queue", "Queue"],
  ["/admin/account", "Account"],
] as const;

/** The pages of the admin area; the one that is shown is marked. The panel has tabs of its own. */
export function AdminLinks() {
  const isPanel = useLocation().pathname === "/admin";
  return (
    <nav
      aria-label="Admin pages"
      className="flex flex-wrap gap-x-1 text-sm max-sm:order-last max-sm:-mx-3 max-sm:w-full sm:ml-auto"
    >
      {(isPanel ? PAGES : [PANEL, ...PAGES]).map(([to, label]) => (
        <NavLink
          key={to}
          to={to}
          end
          className={({ isActive }) =>
            classNames(
              "inline-flex min-h-11 items-center rounded-md px-3 hover:bg-raised hover:text-ink",
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
