import { useRouteLoaderData } from "@remix-run/react";
import { Bookmark } from "lucide-react";
import {
  type ComponentType,
  type KeyboardEvent,
  lazy,
  type PointerEvent,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";
import { useSaveVideo } from "~/features/visitor/saved-videos";
import { useWatchedPart } from "~/features/visitor/watch-history";
import { categoryLabel } from "~/shared/categories";
import { formatAge, formatViews } from "~/shared/format";
import type { VideoCardData } from "~/shared/video-card";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { PageLink, useIsTransitioning } from "~/ui/page-link";
import { useHydrated } from "~/ui/use-hydrated";
import { cardAnchor, type WayBack } from "./back-link";
import type { HoverPreviewProps } from "./hover-preview";
import { Poster } from "./poster";
import "./cards.css";

/** Ranks 1 to 3 are shown on page 1 of Trending (specification, section 2). */
const RANKED = 3;

/** The number of cards in the first row on the widest screen. */
const FIRST_ROW = 4;

/** A video page opened from a list is one history entry away from it. */
const ONE_STEP: WayBack = { steps: 1 };

/** A grid of cards, with one column on a phone and four on an extra large screen. */
export function VideoGrid({
  videos,
  hrefFor,
  now,
  ranked = false,
  waiting = false,
  withdrawn,
  onRemove,
}: {
  videos: VideoCardData[];
  hrefFor: (id: string) => string;
  now: number;
  /** Whether the first three cards show their rank. */
  ranked?: boolean;
  /** Whether a newer list is loading. The displayed list is dimmed in the meantime. */
  waiting?: boolean;
  /** The ids of the videos that are no longer public. */
  withdrawn?: ReadonlySet<string>;
  /** Removes a video from the visitor's own list. */
  onRemove?: (id: string) => void;
}) {
  // Behind the age gate no image is visible, so none are loaded eagerly.
  const page = useRouteLoaderData("root") as { asksForAge?: boolean } | undefined;
  const firstRow = page?.asksForAge ? 0 : FIRST_ROW;
  return (
    <ul
      className={classNames(
        "grid grid-cols-1 gap-x-5 gap-y-8 transition-opacity sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4",
        waiting && "opacity-70",
      )}
    >
      {videos.map((video, index) => (
        <li key={video.id} className="min-w-0">
          {withdrawn?.has(video.id) ? (
            <WithdrawnCard title={video.title} />
          ) : (
            <VideoCard
              video={video}
              to={hrefFor(video.id)}
              now={now}
              rank={ranked && index < RANKED ? index + 1 : undefined}
              isFirst={index < firstRow}
              // In the visitor's own list, the card has a Remove button below it instead.
              canSave={!onRemove}
            />
          )}
          {onRemove && (
            <Button
              type="button"
              variant="ghost"
              size="sm"
              className="mt-1 -ml-2.5"
              aria-label={`Remove ${video.title}`}
              onClick={() => onRemove(video.id)}
            >
              Remove
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Replaces the card of a video that is no longer public. It has the same size, so that nothing moves. */
function WithdrawnCard({ title }: { title: string }) {
  return (
    <div>
      <p className="grid aspect-video place-items-center rounded-lg bg-surface p-4 text-sm text-muted">
        No longer available
      </p>
      <div aria-hidden="true" className="invisible px-0.5 pt-3">
        <p className="line-clamp-2 text-base font-semibold">{title}</p>
        <p className="mt-1 text-sm">1 view</p>
      </div>
    </div>
  );
}

const HoverPreview = lazy(loadHoverPreview);

/** The view transition name that a card's poster and the player share. */
export const POSTER_TRANSITION = "poster";

/** The column widths of the grid, limited by the page's maximum width. */
const SIZES =
  "(width >= 80rem) min(23vw, 22rem), (width >= 64rem) 31vw, (width >= 40rem) 47vw, 94vw";

/** Opens a card when Space is pressed. Enter already opens every link. */
export function openOnSpace(event: KeyboardEvent<HTMLAnchorElement>) {
  if (event.key !== " ") return;
  event.preventDefault();
  event.currentTarget.click();
}

/** A video in a list: a link with poster, badges, title, views and age, and a button that saves the video. */
export function VideoCard({
  video,
  to,
  now,
  rank,
  isFirst,
  canSave = true,
}: {
  video: VideoCardData;
  to: string;
  /** Unix time in milliseconds, the same on the server and in the browser. */
  now: number;
  /** 1 to 3 for the first three videos on Trending. */
  rank?: number;
  /** Whether the card is in the first row on the page. */
  isFirst?: boolean;
  canSave?: boolean;
}) {
  const { playing, handlers } = useHoverPreview(video.previewUrl);
  const opening = useIsTransitioning(to);
  return (
    <article id={cardAnchor(video.id)} {...handlers} className="group relative min-w-0">
      <PageLink
        to={to}
        state={ONE_STEP}
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
          <h2
            dir="auto"
            title={video.title}
            className="line-clamp-2 text-base font-semibold transition-colors group-hover:text-accent"
          >
            {video.title}
          </h2>
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

/**
 * Saves the video on a card. The button is next to the card's link, because links can't contain buttons. It is rendered
 * after hydration, in space that the card reserves for it.
 */
function CardSaveButton({ id, title }: { id: string; title: string }) {
  const hydrated = useHydrated();
  const { isSaved, toggle } = useSaveVideo(id);
  if (!hydrated) return null;
  return (
    <button
      type="button"
      aria-pressed={isSaved}
      aria-label={`Save ${title}`}
      onClick={toggle}
      className="card-save"
    >
      <Bookmark aria-hidden="true" fill={isSaved ? "currentColor" : "none"} />
    </button>
  );
}

/**
 * A line at the bottom of a poster that shows how much of the video was watched in this browser; renders nothing if the
 * video wasn't started.
 */
export function WatchedLine({ id, duration }: { id: string; duration: string }) {
  const part = useWatchedPart(id, duration);
  if (part === undefined) return null;
  return (
    <span className="watched-line">
      <span className="sr-only">{`Watched: ${Math.round(part * 100)}%`}</span>
      <span className="bg-accent" style={{ width: `${part * 100}%` }} />
    </span>
  );
}

/** The delay before the hover preview starts (specification, section 9). */
const PREVIEW_DELAY_MS = 500;

/** Loads the hover preview. If that fails, for example while offline, the card shows no preview. */
export function loadHoverPreview(): Promise<{ default: ComponentType<HoverPreviewProps> }> {
  return import("./hover-preview").catch(() => ({ default: () => null }));
}

/** Ends the current preview. Only one plays at a time. */
let endCurrent: (() => void) | undefined;

/** Returns whether to play previews. They aren't played if data saver or reduced motion is on. */
function arePreviewsAllowed(): boolean {
  const connection = (navigator as { connection?: { saveData?: boolean } }).connection;
  if (connection?.saveData) return false;
  return !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Returns whether the card's preview is playing, and the event handlers for the card. The preview starts 500 ms after
 * the mouse enters the card and ends when it leaves. Touch and pen input never starts one.
 */
function useHoverPreview(url: string) {
  const [playing, setPlaying] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const end = useRef(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    setPlaying(false);
  });

  useEffect(() => end.current, []);

  function begin(event: PointerEvent) {
    if (timer.current || !url || event.pointerType !== "mouse" || !arePreviewsAllowed()) return;
    void loadHoverPreview();
    timer.current = setTimeout(() => {
      if (endCurrent !== end.current) endCurrent?.();
      endCurrent = end.current;
      setPlaying(true);
    }, PREVIEW_DELAY_MS);
  }

  return {
    playing,
    handlers: {
      onPointerEnter: begin,
      // The mouse was already on the card before hydration.
      onPointerMove: begin,
      onPointerLeave: () => end.current(),
    },
  };
}
