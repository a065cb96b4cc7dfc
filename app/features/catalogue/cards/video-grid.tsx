import { useRouteLoaderData } from "@remix-run/react";
import type { VideoCardData } from "~/shared/video-card";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import type { WayBack } from "../back-link";
import { VideoCard } from "./video-card";

/** Ranks 1 to 3 are shown on page 1 of Trending (specification, section 2). */
const RANKED = 3;

/** As many as the widest screen shows in its first row. */
const FIRST_ROW = 4;

/** From a list to a video is one step in the browser's history. */
const ONE_STEP: WayBack = { steps: 1 };

/** The cards of a list: one column on a phone, four on an extra large screen. */
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
  /** Gives the first three their rank. */
  ranked?: boolean;
  /** While a newer list is on its way, this one steps back. */
  waiting?: boolean;
  /** Ids of videos that are public no more. */
  withdrawn?: ReadonlySet<string>;
  /** Where the list is the visitor's own: takes a video out of it. */
  onRemove?: (id: string) => void;
}) {
  // Behind the question for the age no picture is on the screen, and none is loaded.
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
              state={ONE_STEP}
              now={now}
              rank={ranked && index < RANKED ? index + 1 : undefined}
              isFirst={index < firstRow}
              // Where the list is the visitor's own, Remove stands below the card.
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

/** What was a card until its video was withdrawn, in the same size, so that nothing moves. */
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
