import { Link } from "@remix-run/react";
import { type CategoryId, categoryLabel } from "~/catalogue/categories";
import { formatAge, formatCount } from "~/catalogue/format";
import type { VideoCardData } from "~/catalogue/video-card";
import { Badge } from "./badge";
import { ButtonLink } from "./button";
import { Poster } from "./poster";

/** The sidebar of the video page: what resembles the video, or the way to its category. */
export function RelatedVideos({
  videos,
  category,
  now,
  hrefFor,
  state,
}: {
  videos: VideoCardData[];
  category: CategoryId;
  now: number;
  hrefFor: (id: string) => string;
  state?: unknown;
}) {
  if (videos.length === 0) return <NoRelatedVideos category={category} />;
  return (
    <ul className="flex flex-col gap-4">
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
  state?: unknown;
  now: number;
}) {
  return (
    <Link to={to} state={state} className="group grid grid-cols-[9.5rem_1fr] gap-3 rounded-lg">
      <Poster id={video.id} url={video.thumbnailUrl} className="rounded-md">
        <Badge tone="shade" className="absolute right-1.5 bottom-1.5 px-1.5">
          <span className="sr-only">Duration </span>
          {video.duration}
        </Badge>
      </Poster>
      <div className="min-w-0">
        <h3
          title={video.title}
          className="line-clamp-2 text-sm font-semibold transition-colors group-hover:text-accent"
        >
          {video.title}
        </h3>
        <p className="mt-1 text-xs text-muted tabular-nums">{categoryLabel(video.category)}</p>
        <p className="text-xs text-muted tabular-nums">
          {formatCount(video.views)} views
          <span aria-hidden="true"> · </span>
          <span>{formatAge(video.createdAt, now)}</span>
        </p>
      </div>
    </Link>
  );
}

function NoRelatedVideos({ category }: { category: CategoryId }) {
  return (
    <div className="flex flex-col items-center gap-4 rounded-lg border border-line bg-surface px-4 py-10 text-center">
      <p className="text-muted">No related videos found</p>
      <ButtonLink to={`/categories/${category}`} variant="secondary" size="sm">
        Browse {categoryLabel(category)}
      </ButtonLink>
    </div>
  );
}
