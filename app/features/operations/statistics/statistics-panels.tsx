import { Link } from "@remix-run/react";
import { ChartColumn } from "lucide-react";
import type { ComponentProps } from "react";
import { formatQuantity } from "~/shared/format";
import { PERIODS_DAYS, type PeriodDays } from "~/shared/statistics-address";
import { ButtonLink, buttonClass } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { PageFailure } from "~/ui/feedback/failure-notice";
import { ColumnChart, Panel } from "./chart";
import { averageWatched, dropOff, type Statistics, type VideoStatistics } from "./statistics";

/** Links to the available periods, with the current one marked. */
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

/** The number format for axes: 250K, 1.5M. */
export const COMPACT_NUMBER = new Intl.NumberFormat("en", { notation: "compact" });
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
  /** The URL of the data as CSV. */
  csv: string;
}) {
  const views = days.reduce((sum, day) => sum + day.views, 0);
  return (
    <ColumnChart
      title="Views by day"
      summary={`${formatQuantity(views, "view")} in the last ${period} days (UTC).`}
      headings={["Day", "Views"]}
      csv={csv}
      format={COMPACT_NUMBER.format}
      bars={days.map(({ day, views }) => ({
        label: DAY.format(new Date(day)),
        value: views,
        text: NUMBER.format(views),
      }))}
    />
  );
}

const PERCENT = new Intl.NumberFormat("en", { style: "percent" });

/** Shows how much of a video is watched on average, and how often each twentieth of it is watched. */
export function DropOff({ watched, csv }: { watched: VideoStatistics["watched"]; csv: string }) {
  const average = averageWatched(watched);
  if (average === undefined) {
    return (
      <Panel
        title="Watched parts"
        lead="No playback has been counted yet. Playback is counted when a view ends, unless the visitor’s browser limits data usage or asks not to be tracked."
      />
    );
  }
  return (
    <ColumnChart
      title="Watched parts"
      summary={`On average, ${PERCENT.format(average)} of the video is watched. Based on ${formatQuantity(watched.views, "view")} with playback.`}
      headings={["Part of the video", "Views of this part"]}
      csv={csv}
      format={(percent) => `${percent}%`}
      bars={dropOff(watched).map(({ from, to, views, share }) => ({
        label: `${from}–${to}%`,
        value: share * 100,
        text: `${PERCENT.format(share)} (${NUMBER.format(views)})`,
      }))}
    />
  );
}

/** The message shown if the statistics can't be read. */
export function StatisticsFailure({
  toast,
  retry,
}: ComponentProps<typeof PageFailure> & { retry: string }) {
  return (
    <>
      <PageFailure toast={toast} />
      <EmptyState
        icon={<ChartColumn />}
        title="No statistics available"
        action={
          <ButtonLink to={retry} reloadDocument>
            Retry
          </ButtonLink>
        }
      />
    </>
  );
}
