import { formatQuantity } from "~/shared/format";
import { seriesPath, seriesVideoPath } from "~/shared/series/series-path";
import type { SeriesQueue } from "~/shared/series/series-queue";
import { PageLink } from "~/ui/page-link";

/**
 * Shows the series from which the current video was opened: the videos before and after it, and a link to the whole
 * series.
 */
export function SeriesList({
  series,
  here,
  state,
}: {
  series: SeriesQueue;
  /** The current video's id. */
  here: string;
  /** The state for the Back link. It is passed on to the next video's page. */
  state?: unknown;
}) {
  const { slug, title, number, total, firstNumber, videos } = series;
  return (
    <section
      aria-labelledby="series-heading"
      className="mb-6 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
    >
      <h2 id="series-heading">
        <PageLink
          to={seriesPath(slug)}
          dir="auto"
          className="inline-flex min-h-11 items-center text-base font-semibold wrap-anywhere hover:text-accent"
        >
          {title}
        </PageLink>
      </h2>
      <p className="text-muted figures">{`${number} of ${formatQuantity(total, "video")}`}</p>
      <ol start={firstNumber} className="mt-2 list-decimal pl-7 figures marker:text-muted">
        {videos.map((video) => (
          <li key={video.id}>
            <PageLink
              to={seriesVideoPath(video.id, slug)}
              state={state}
              aria-current={video.id === here ? "page" : undefined}
              className="flex min-h-11 items-center gap-3 py-1 hover:text-accent aria-[current]:font-semibold aria-[current]:text-accent"
            >
              <span dir="auto" className="min-w-0 flex-1 wrap-anywhere">
                {video.title}
              </span>
              <span className="shrink-0 text-muted">{video.duration}</span>
            </PageLink>
          </li>
        ))}
      </ol>
    </section>
  );
}
