import { type KeyboardEvent, lazy, Suspense } from "react";
import { categoryLabel } from "~/shared/categories";
import { formatAge, formatViews } from "~/shared/format";
import type { VideoCardData } from "~/shared/video-card";
import { Badge } from "~/ui/badge";
import { classNames } from "~/ui/class-names";
import { PageLink, useIsTransitioning } from "~/ui/page-link";
import { CardSaveButton } from "./card-save-button";
import { Poster } from "./poster";
import { loadHoverPreview, useHoverPreview } from "./use-hover-preview";
import { WatchedLine } from "./watched-line";
import "./cards.css";

const HoverPreview = lazy(loadHoverPreview);

/** The poster of a card and the player share this name while one flows into the other. */
export const POSTER_TRANSITION = "poster";

/** The columns of the grid; no wider than the page lets them become. */
const SIZES =
  "(width >= 80rem) min(23vw, 22rem), (width >= 64rem) 31vw, (width >= 40rem) 47vw, 94vw";

/** The anchor of a card in its list, for the way back without scripts. */
export function cardAnchor(id: string): string {
  return `video-${id}`;
}

/** Opens a card on Space as well as on Enter, on which every link opens. */
export function openOnSpace(event: KeyboardEvent<HTMLAnchorElement>) {
  if (event.key !== " ") return;
  event.preventDefault();
  event.currentTarget.click();
}

/** One video of a list: poster, badges, title, count and age, all of it one link; and a button that saves it. */
export function VideoCard({
  video,
  to,
  state,
  now,
  rank,
  isFirst,
  canSave = true,
  heading: Heading = "h2",
}: {
  video: VideoCardData;
  to: string;
  /** Travels with the link: how the video page finds its way back. */
  state?: unknown;
  /** Milliseconds since 1970, the same on server and browser. */
  now: number;
  /** 1 to 3 for the first three of Trending. */
  rank?: number;
  /** In the first row of the page. */
  isFirst?: boolean;
  canSave?: boolean;
  heading?: "h2" | "h3";
}) {
  const { playing, handlers } = useHoverPreview(video.previewUrl);
  const opening = useIsTransitioning(to);
  return (
    <article id={cardAnchor(video.id)} {...handlers} className="group relative min-w-0">
      <PageLink
        to={to}
        state={state}
        viewTransition
        draggable={false}
        onKeyDown={openOnSpace}
        className="block rounded-lg"
      >
        <Poster
          id={video.id}
          url={video.thumbnailUrl}
          colors={video.posterColors}
          isFirst={isFirst}
          sizes={SIZES}
          transitionName={opening ? POSTER_TRANSITION : undefined}
          className="transition-shadow group-hover:outlined"
        >
          <WatchedLine id={video.id} duration={video.duration} />
          {playing && (
            <Suspense>
              <HoverPreview url={video.previewUrl} isClip={video.previewIsClip} />
            </Suspense>
          )}
          <Badge tone="shade" className="shown-whole absolute right-2 bottom-2">
            <span className="sr-only">Duration </span>
            {video.duration}
          </Badge>
          <div className="absolute inset-x-2 top-2 flex items-start justify-between gap-2">
            <Badge tone="shade">{categoryLabel(video.category)}</Badge>
            {rank && (
              <Badge tone="accent" className="px-2.5 py-1 font-bold">
                <span className="sr-only">Rank </span>
                <span aria-hidden="true">#</span>
                {rank}
              </Badge>
            )}
          </div>
        </Poster>
        <div className={classNames("pt-3 pl-0.5", canSave ? "pr-9" : "pr-0.5")}>
          <Heading
            dir="auto"
            title={video.title}
            className="line-clamp-2 text-base font-semibold transition-colors group-hover:text-accent"
          >
            {video.title}
          </Heading>
          <p className="mt-1 text-sm text-muted figures">
            {formatViews(video.views)}
            <span aria-hidden="true"> · </span>
            <span>{formatAge(video.createdAt, now)}</span>
          </p>
        </div>
      </PageLink>
      {canSave && <CardSaveButton id={video.id} title={video.title} />}
    </article>
  );
}
