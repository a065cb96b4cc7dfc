import { formatQuantity } from "~/shared/format";
import { seriesPath, seriesVideoPath } from "~/shared/series/series-path";
import type { SeriesQueue } from "~/shared/series/series-queue";
import { PageLink } from "~/ui/page-link";
import "./series-list.css";

/** The series that a video is watched in: those around it, in their order, and the way to all of them. */
export function SeriesList({
  series,
  here,
  state,
}: {
  series: SeriesQueue;
  /** The id of the video that is watched. */
  here: string;
  /** Travels on to the next video, for the way back. */
  state?: unknown;
}) {
  const { slug, title, number, total, firstNumber, videos } = series;
  return (
    <section aria-labelledby="series-heading" className="series-list">
      <h2 id="series-heading">
        <PageLink to={seriesPath(slug)} dir="auto">
          {title}
        </PageLink>
      </h2>
      <p>{`${number} of ${formatQuantity(total, "video")}`}</p>
      <ol start={firstNumber}>
        {videos.map((video) => (
          <li key={video.id}>
            <PageLink
              to={seriesVideoPath(video.id, slug)}
              state={state}
              aria-current={video.id === here ? "page" : undefined}
            >
              <span dir="auto">{video.title}</span>
              <span>{video.duration}</span>
            </PageLink>
          </li>
        ))}
      </ol>
    </section>
  );
}
