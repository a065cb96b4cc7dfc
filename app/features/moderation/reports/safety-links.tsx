import { NavLink } from "@remix-run/react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { classNames } from "~/ui/class-names";

const PAGES = [
  ["/admin/reports", "Reports"],
  ["/transparency", "Transparency"],
  ["/admin/block-list", "Block list"],
  ["/admin/consent", "Consent"],
  ["/admin/terms", "Terms"],
] as const;

/** Links to the trust and safety pages that the user may open, shown below the studio's navigation. */
export function SafetyLinks() {
  const may = usePermissions();
  return (
    <nav aria-label="Trust and safety" className="flex flex-wrap gap-x-4 text-sm">
      {PAGES.filter(([to]) => to === "/transparency" || may(to)).map(([to, label]) => (
        <NavLink
          key={to}
          to={to}
          end
          className={({ isActive }) =>
            classNames(
              "inline-flex min-h-11 items-center underline-offset-8 hover:text-ink",
              isActive ? "text-ink underline decoration-accent" : "text-muted",
            )
          }
        >
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
