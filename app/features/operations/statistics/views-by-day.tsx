import { formatQuantity } from "~/shared/format";
import type { PeriodDays } from "~/shared/statistics-address";
import { ColumnChart } from "./chart";
import type { Statistics } from "./statistics";

/** For an axis: 250K, 1.5M. */
export const SHORT = new Intl.NumberFormat("en", { notation: "compact" });
export const NUMBER = new Intl.NumberFormat("en");
export const DAY = new Intl.DateTimeFormat("en", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

export function ViewsByDay({
  days,
  period,
  csv,
}: {
  days: Statistics["days"];
  period: PeriodDays;
  /** Where they are a table for spreadsheets. */
  csv: string;
}) {
  const views = days.reduce((sum, day) => sum + day.views, 0);
  return (
    <ColumnChart
      title="Views by day"
      summary={`${formatQuantity(views, "view")} in the last ${period} days (UTC).`}
      headings={["Day", "Views"]}
      csv={csv}
      format={SHORT.format}
      bars={days.map(({ day, views }) => ({
        label: DAY.format(new Date(day)),
        value: views,
        text: NUMBER.format(views),
      }))}
    />
  );
}
