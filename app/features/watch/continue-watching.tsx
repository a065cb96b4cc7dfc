import { useRouteLoaderData } from "@remix-run/react";
import { useEffect, useState } from "react";
import type { WayBack } from "~/features/catalogue/back-link";
import { useCards } from "~/features/catalogue/fetch-cards";
import { Poster } from "~/features/catalogue/poster";
import { openOnSpace, WatchedLine } from "~/features/catalogue/video-card";
import {
  forgetWatched,
  forgetWatchHistory,
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
 * What this browser remembers as begun. The server knows nothing of it, so that its HTML holds the space
 * alone, which is shown before the first paint when there is any (document-head.tsx). The space is
 * one row of a fixed height whatever stands in it, so that nothing below it moves.
 */
export function ContinueWatching() {
  const hydrated = useHydrated();
  const { videos, allGone, failed, retry } = useBegunCards();
  const show = useToast();
  if (hydrated && videos.length === 0 && !allGone) return null;

  function forget() {
    forgetWatchHistory();
    show({ kind: "success", title: "Forgotten", description: "This browser remembers no video." });
    // The button is gone; the list takes its place.
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
          onClick={forget}
        >
          Forget all
        </Button>
      </div>
      <ul className="continue-row">
        {(hydrated && videos.length > 0 ? videos : PLACEHOLDER).map((video, index) => (
          // By its number, so that what is dropped is replaced where it stands and nothing moves.
          <li key={index}>{video.card ? <Begun {...video} card={video.card} /> : <Waiting />}</li>
        ))}
      </ul>
      {(allGone || failed) && (
        <div
          role="status"
          // Over the row, whose space stays as it is.
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

const GONE = "What you began to watch is no longer available.";
const PLACEHOLDER: BegunVideo[] = [{ id: "", leftAt: 0, card: undefined }];

function Begun({ card, leftAt }: BegunVideo & { card: NonNullable<BegunVideo["card"]> }) {
  const whole = parseDuration(card.duration);
  return (
    // The fragment is where it goes on; of an address, a browser sends all but that.
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
          : `At ${formatDuration(leftAt)}`}
      </p>
    </PageLink>
  );
}

/** The shape of a card, until it is there. */
function Waiting() {
  return (
    <div aria-hidden="true">
      <div className="aspect-video rounded-lg bg-surface" />
      <div className="h-[4.35rem]" />
    </div>
  );
}

/** Videos under Continue watching. */
const MAX_SHOWN = 8;

interface BegunVideo {
  id: string;
  /** Seconds. */
  leftAt: number;
  /** Undefined until the server has answered. */
  card: VideoCardData | undefined;
}

/** The cards of the last answer outlive the page, so that Back shows them at once. */
let known: ReadonlyMap<string, VideoCardData> = new Map();

/**
 * What was begun in this browser, the latest first, with its cards; those that are not public any more
 * are dropped from the history. They are asked for anew when the catalogue has changed.
 */
function useBegunCards() {
  const history = useWatchHistory();
  const root = useRouteLoaderData("root") as
    | { catalogueVersion?: number; asksForAge?: boolean }
    | undefined;
  const [cards, setCards] = useState(known);
  const [allGone, setAllGone] = useState(false);
  const [gone, setGone] = useState<readonly string[]>([]);

  const latest = [...history].reverse().slice(0, SAVED_AT_ONCE);
  const asked = root?.asksForAge ? [] : latest.map(([id]) => id);
  const { failed, retry } = useCards(
    asked,
    (found, answered) => {
      known = new Map(found.map((card) => [card.id, card]));
      setCards(known);
      setAllGone(found.length === 0);
      setGone(answered.filter((id) => !known.has(id)));
    },
    root?.catalogueVersion,
  );

  // Once the page shows what became of them: the history is followed at once, a state somewhat later.
  useEffect(() => forgetWatched(gone), [gone]);

  const videos = latest
    .map(([id, leftAt]): BegunVideo => ({ id, leftAt, card: cards.get(id) }))
    .slice(0, MAX_SHOWN);
  return {
    videos,
    /** Nothing of what was begun is public: said where it would stand, so that nothing moves. */
    allGone: allGone && history.length === 0,
    failed: failed && videos.some(({ card }) => !card),
    retry,
  };
}
