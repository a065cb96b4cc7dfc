import { formatStorage } from "~/shared/format-bytes";
import type { PeriodDays } from "~/shared/statistics-address";
import { ColumnChart } from "./chart";
import { byteUnit } from "./chart-scale";
import type { TransferDay, TransferMonth } from "./transfer-days.server";
import { DAY } from "./views-by-day";

export interface Transfer {
  /** Every day of the period, the oldest first. */
  days: TransferDay[];
  month: TransferMonth;
}

export function TransferByDay({
  transfer: { days, month },
  period,
  csv,
}: {
  transfer: Transfer;
  period: PeriodDays;
  /** Where they are a table for spreadsheets. */
  csv: string;
}) {
  const sum = days.reduce((total, { bytes }) => total + bytes, 0);
  return (
    <ColumnChart
      title="Transfer by day"
      summary={`${formatStorage(sum)} of video files sent in the last ${period} days (UTC).${budgetSentence(month)}`}
      headings={["Day", "Transfer"]}
      csv={csv}
      format={formatStorage}
      unit={byteUnit(Math.max(0, ...days.map(({ bytes }) => bytes)))}
      empty="No files sent in this time."
      bars={days.map(({ day, bytes }) => ({
        label: DAY.format(new Date(day)),
        value: bytes,
        text: formatStorage(bytes),
      }))}
    />
  );
}

/** How much of the monthly budget is used, in full percent; 100 only if all of it is. */
function budgetSentence({ bytes, budget }: TransferMonth): string {
  if (budget === undefined) return "";
  const percent = Math.floor((bytes / budget) * 100);
  return ` This month: ${formatStorage(bytes)} of ${formatStorage(budget)} (${percent}%).`;
}
