import { Poster } from "~/features/catalogue/poster";
import { openOnSpace, WatchedLine } from "~/features/catalogue/video-card";
import { categoryPath } from "~/shared/addresses";
import { categoryLabel } from "~/shared/categories";
import { formatAge, formatViews } from "~/shared/format";
import type { VideoCardData } from "~/shared/video-card";
import { ButtonLink } from "~/ui/button";
import { PageLink } from "~/ui/page-link";
import "./related-videos.css";

/** The sidebar on the video page: related videos, or a link to the category. */
export function RelatedVideos({
  videos,
  category,
  now,
  hrefFor,
  state,
}: {
  videos: VideoCardData[];
  category: string;
  now: number;
  hrefFor: (id: string) => string;
  state?: unknown;
}) {
  if (videos.length === 0) {
    return (
      <div className="flex flex-col items-center gap-4 rounded-lg border border-line bg-surface px-4 py-10 text-center">
        <p className="text-muted">No related videos found</p>
        <ButtonLink to={categoryPath(category)} variant="secondary" size="sm">
          Browse {categoryLabel(category)}
        </ButtonLink>
      </div>
    );
  }
  return (
    <ul className="related-videos">
      {videos.map((video) => (
        <li key={video.id}>
          <RelatedVideo video={video} to={hrefFor(video.id)} state={state} now={now} />
        </li>
      ))}
    </ul>
  );
}

function RelatedVideo({
  video,
  to,
  state,
  now,
}: {
  video: VideoCardData;
  to: string;
  state: unknown;
  now: number;
}) {
  return (
    <PageLink to={to} state={state} onKeyDown={openOnSpace} className="related-video">
      <Poster
        id={video.id}
        url={video.thumbnailUrl}
        colors={video.posterColors}
        sizes="min(9.5rem, 45vw)"
      >
        <span className="related-duration">
          <span className="sr-only">Duration </span>
          {video.duration}
        </span>
        <WatchedLine id={video.id} duration={video.duration} />
      </Poster>
      <div>
        <h3 dir="auto" title={video.title}>
          {video.title}
        </h3>
        <p>{categoryLabel(video.category)}</p>
        <p>
          {formatViews(video.views)}
          <span aria-hidden="true"> · </span>
          {formatAge(video.createdAt, now)}
        </p>
      </div>
    </PageLink>
  );
}
