import { formatQuantity } from "~/shared/format";
import { ColumnChart } from "./chart";
import { averageWatched, dropOff, type VideoStatistics } from "./statistics";
import { NUMBER } from "./views-by-day";

const PERCENT = new Intl.NumberFormat("en", { style: "percent" });

/** How far a film is watched: the average, and each twentieth of it. */
export function DropOff({ watched, csv }: { watched: VideoStatistics["watched"]; csv: string }) {
  const average = averageWatched(watched);
  if (average === undefined) {
    return (
      <section
        aria-labelledby="drop-off"
        className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4 sm:p-5"
      >
        <h2 id="drop-off" className="font-semibold">
          Watched parts
        </h2>
        <p className="text-sm text-muted">
          No playback has been counted yet. It is counted when a view ends, unless the visitor asks
          not to be tracked or to save data.
        </p>
      </section>
    );
  }
  return (
    <ColumnChart
      title="Watched parts"
      summary={`${PERCENT.format(average)} of the film is watched on average, in ${formatQuantity(watched.views, "view")} with playback since these are counted.`}
      headings={["Part of the film", "Views that watched it"]}
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
