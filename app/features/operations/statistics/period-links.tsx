import { Link } from "@remix-run/react";
import { PERIODS_DAYS, type PeriodDays } from "~/shared/statistics-address";
import { buttonClass } from "~/ui/button";

/** The periods that statistics can be shown of; the one that is shown is marked. */
export function PeriodLinks({
  period,
  hrefFor,
}: {
  period: PeriodDays;
  hrefFor: (days: PeriodDays) => string;
}) {
  return (
    <nav aria-label="Period" className="flex flex-wrap gap-2">
      {PERIODS_DAYS.map((each) => (
        <Link
          key={each}
          to={hrefFor(each)}
          preventScrollReset
          aria-current={each === period ? "page" : undefined}
          className={buttonClass(each === period ? "primary" : "secondary", "sm")}
        >
          {each} days
        </Link>
      ))}
    </nav>
  );
}
