import "./continue-watching.css";
import type { WayBack } from "~/features/catalogue/back-link";
import { Poster } from "~/features/catalogue/poster";
import { openOnSpace, WatchedLine } from "~/features/catalogue/video-card";
import { forgetWatchHistory } from "~/features/visitor/watch-history";
import { videoPath } from "~/shared/addresses";
import { formatDuration, parseDuration } from "~/shared/format";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { useToast } from "~/ui/feedback/toast";
import { PageLink } from "~/ui/page-link";
import { useHydrated } from "~/ui/use-hydrated";
import { type BegunVideo, useBegunCards } from "./use-begun-cards";

const ONE_STEP: WayBack = { steps: 1 };

/**
 * What this browser remembers as begun. The server knows nothing of it, so that its HTML holds the space
 * alone, which is shown before the first paint when there is any (first-paint-script.tsx). The space is
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
        <div role="status" className="continue-notice">
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
      className="continue-card"
    >
      <Poster
        id={card.id}
        url={card.thumbnailUrl}
        colors={card.posterColors}
        sizes="(width >= 64rem) 15rem, (width >= 40rem) 30vw, 45vw"
      >
        <WatchedLine id={card.id} duration={card.duration} />
      </Poster>
      <h3 dir="auto" title={card.title}>
        {card.title}
      </h3>
      <p>
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
    <div aria-hidden="true" className="continue-card">
      <div className="aspect-video rounded-lg bg-surface" />
      <div className="continue-text" />
    </div>
  );
}
