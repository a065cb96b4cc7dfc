import { useRouteLoaderData } from "@remix-run/react";
import { useEffect, useState } from "react";
import type { WayBack } from "~/features/catalogue/back-link";
import { useCards } from "~/features/catalogue/fetch-cards";
import { Poster } from "~/features/catalogue/poster";
import { openOnSpace, WatchedLine } from "~/features/catalogue/video-card";
import {
  clearWatchHistory,
  removeFromHistory,
  useWatchHistory,
} from "~/features/visitor/watch-history";
import { videoPath } from "~/shared/addresses";
import { formatDuration, parseDuration } from "~/shared/format";
import { SAVED_AT_ONCE } from "~/shared/pages";
import type { VideoCardData } from "~/shared/video-card";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { useToast } from "~/ui/feedback/toast";
import { PageLink } from "~/ui/page-link";
import { useHydrated } from "~/ui/use-hydrated";
import "./continue-watching.css";

const ONE_STEP: WayBack = { steps: 1 };

/**
 * The videos that were started in this browser. The server doesn't know which videos these are, so its HTML contains
 * only a placeholder, which a script shows before the first paint if there are any videos (document-head.tsx). The row
 * has a fixed height regardless of its content, so that nothing below it moves.
 */
export function ContinueWatching() {
  const hydrated = useHydrated();
  const { videos, allGone, failed, retry } = useStartedCards();
  const show = useToast();
  if (hydrated && videos.length === 0 && !allGone) return null;

  function clear() {
    clearWatchHistory();
    show({ kind: "success", title: "Watch history cleared" });
    // The button has been removed, so the focus moves to the list.
    document.getElementById("list-heading")?.focus({ preventScroll: true });
  }

  return (
    <section
      aria-labelledby="continue-heading"
      data-shown={hydrated || undefined}
      className="continue-watching"
    >
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4">
        <h2 id="continue-heading" className="text-lg font-semibold">
          Continue watching
        </h2>
        <Button
          type="button"
          variant="ghost"
          size="sm"
          className={classNames("-mr-3 shrink-0 forced-colors:mr-0", allGone && "invisible")}
          onClick={clear}
        >
          Clear history
        </Button>
      </div>
      <ul className="continue-row">
        {(hydrated && videos.length > 0 ? videos : PLACEHOLDER).map((video, index) => (
          // Keyed by index, so that a removed video's card is replaced in place and nothing moves.
          <li key={index}>
            {video.card ? <StartedCard {...video} card={video.card} /> : <CardPlaceholder />}
          </li>
        ))}
      </ul>
      {(allGone || failed) && (
        <div
          role="status"
          // The message is shown on top of the row, which keeps its height.
          className="absolute inset-x-0 top-14 bottom-0 flex flex-wrap content-center items-center justify-center gap-3 rounded-lg border border-line bg-surface px-4 py-2 text-center text-muted"
        >
          <p>{failed ? "Error loading videos: Failed to fetch videos." : GONE}</p>
          {failed && (
            <Button type="button" variant="secondary" size="sm" onClick={retry}>
              Retry
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

const GONE = "The videos you started are no longer available.";
const PLACEHOLDER: StartedVideo[] = [{ id: "", leftAt: 0, card: undefined }];

function StartedCard({ card, leftAt }: StartedVideo & { card: NonNullable<StartedVideo["card"]> }) {
  const whole = parseDuration(card.duration);
  return (
    // The position is a fragment, because browsers don't send fragments to the server.
    <PageLink
      to={`${videoPath(card.id)}#t=${leftAt}`}
      state={ONE_STEP}
      onKeyDown={openOnSpace}
      className="group block rounded-lg"
    >
      <Poster
        id={card.id}
        url={card.thumbnailUrl}
        colors={card.posterColors}
        sizes="(width >= 64rem) 15rem, (width >= 40rem) 30vw, 45vw"
      >
        <WatchedLine id={card.id} duration={card.duration} />
      </Poster>
      <h3
        dir="auto"
        title={card.title}
        className="mt-2 line-clamp-2 h-[2.6rem] text-sm font-semibold transition-colors group-hover:text-accent"
      >
        {card.title}
      </h3>
      <p className="mt-1 h-4 overflow-hidden text-xs whitespace-nowrap text-muted figures">
        {whole && whole > leftAt
          ? `${formatDuration(whole - leftAt)} left`
          : `Stopped at ${formatDuration(leftAt)}`}
      </p>
    </PageLink>
  );
}

/** A placeholder with the shape of a card. */
function CardPlaceholder() {
  return (
    <div aria-hidden="true">
      <div className="aspect-video rounded-lg bg-surface" />
      <div className="h-[4.35rem]" />
    </div>
  );
}

/** The maximum number of videos under Continue watching. */
const MAX_SHOWN = 8;

interface StartedVideo {
  id: string;
  /** Seconds. */
  leftAt: number;
  /** The video's card; undefined until the server has responded. */
  card: VideoCardData | undefined;
}

/** The cards in the last response outlive the page, so that they are shown immediately when the visitor goes back. */
let known: ReadonlyMap<string, VideoCardData> = new Map();

/**
 * Returns the videos that were started in this browser, with their cards, latest first. Videos that are no longer
 * public are removed from the history. The cards are requested again when the catalogue changes.
 */
function useStartedCards() {
  const history = useWatchHistory();
  const root = useRouteLoaderData("root") as
    | { catalogueVersion?: number; asksForAge?: boolean }
    | undefined;
  const [cards, setCards] = useState(known);
  const [allGone, setAllGone] = useState(false);
  const [gone, setGone] = useState<readonly string[]>([]);

  const latest = [...history].reverse().slice(0, SAVED_AT_ONCE);
  const requested = root?.asksForAge ? [] : latest.map(([id]) => id);
  const { failed, retry } = useCards(
    requested,
    (found, requestedIds) => {
      known = new Map(found.map((card) => [card.id, card]));
      setCards(known);
      setAllGone(found.length === 0);
      setGone(requestedIds.filter((id) => !known.has(id)));
    },
    root?.catalogueVersion,
  );

  // Runs in an effect, because the history is updated immediately, but React's state is only updated with the next
  // render.
  useEffect(() => removeFromHistory(gone), [gone]);

  const videos = latest
    .map(([id, leftAt]): StartedVideo => ({ id, leftAt, card: cards.get(id) }))
    .slice(0, MAX_SHOWN);
  return {
    videos,
    /**
     * None of the started videos are public anymore. A message takes the place of the videos, so that nothing else on
     * the page moves.
     */
    allGone: allGone && history.length === 0,
    failed: failed && videos.some(({ card }) => !card),
    retry,
  };
}
