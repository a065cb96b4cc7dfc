import { useNavigate } from "@remix-run/react";
import type { MouseEvent } from "react";
import { categoryLabel, toCategoryId } from "~/shared/categories";
import { formatAge, formatViews } from "~/shared/format";
import type { VideoCardData } from "~/shared/video-card";
import { ButtonLink } from "../button";
import { Poster } from "../cards/poster";
import "./related-videos.css";

/** The sidebar of the video page: what resembles the video, or the way to its category. */
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
  const navigate = useNavigate();
  if (videos.length === 0) return <NoRelatedVideos category={category} />;

  /** One handler for all: twenty of the router's links cost more to render than what they show. */
  function open(event: MouseEvent<HTMLUListElement>) {
    const link = (event.target as Element).closest("a");
    if (!link || isMeantForBrowser(event)) return;
    event.preventDefault();
    navigate(link.getAttribute("href") ?? "", { state });
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click.
    <ul className="related-videos" onClick={open}>
      {videos.map((video) => (
        <li key={video.id}>
          <RelatedVideo video={video} to={hrefFor(video.id)} now={now} />
        </li>
      ))}
    </ul>
  );
}

/** A click that opens a tab, a window or a download, or that somebody has dealt with already. */
function isMeantForBrowser(event: MouseEvent): boolean {
  const { defaultPrevented, button, metaKey, altKey, ctrlKey, shiftKey } = event;
  return defaultPrevented || button !== 0 || metaKey || altKey || ctrlKey || shiftKey;
}

function RelatedVideo({ video, to, now }: { video: VideoCardData; to: string; now: number }) {
  return (
    <a href={to} className="related-video">
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
    </a>
  );
}

function NoRelatedVideos({ category }: { category: string }) {
  return (
    <div className="flex flex-col items-center gap-4 rounded-lg border border-line bg-surface px-4 py-10 text-center">
      <p className="text-muted">No related videos found</p>
      <ButtonLink to={`/categories/${toCategoryId(category) ?? ""}`} variant="secondary" size="sm">
        Browse {categoryLabel(category)}
      </ButtonLink>
    </div>
  );
}
