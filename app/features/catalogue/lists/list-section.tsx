import { useLocation, useNavigation } from "@remix-run/react";
import { ArrowUp, Clock, WifiOff } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useUnwatched } from "~/features/visitor/use-unwatched";
import { hideWatched } from "~/features/visitor/watched-videos";
import { type ListLocation, listPath, videoPath } from "~/shared/addresses";
import { formatQuantity } from "~/shared/format";
import type { VideoPage } from "~/shared/video-card";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { ListError, RequestError, useListFailure } from "~/ui/feedback/list-error";
import { useRequestFailure } from "~/ui/live/failed-requests";
import { useOnline } from "~/ui/use-online";
import { VideoGrid } from "../cards/video-grid";
import { ListChoices } from "./list-choices";
import { Pager } from "./pager";
import { useStableList } from "./use-stable-list";

/** A list of videos with its heading, its pager, and what stands there when it has none. */
export function ListSection({
  heading,
  list: latest,
  error,
  listLocation,
  now,
  ranked,
  hasChoices = false,
  empty,
}: {
  heading: ReactNode;
  list: VideoPage;
  /** Why the list could not be read. */
  error?: string;
  /** Of which list this is a page; the pager and the cards derive their addresses from it. */
  listLocation: ListLocation;
  now: number;
  ranked?: boolean;
  /** Offers order, length, and to leave out what was watched. */
  hasChoices?: boolean;
  /** Shown when the list is empty. */
  empty: ReactNode;
}) {
  const waiting = useWaiting();
  const failure = useListFailure();
  const hasError = error !== undefined || failure !== undefined;
  const isOnline = useOnline();
  const title = useRef<HTMLHeadingElement>(null);
  const cards = useRef<HTMLDivElement>(null);
  const { list, news, withdrawn } = useStableList(latest, cards);
  const { videos, page, pageCount, total } = list;
  const { unwatched, hidden } = useUnwatched(videos, hasChoices);

  /** From the top, as after a navigation; with neither scrolling nor focus in it the list follows. */
  function showLatest() {
    title.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  return (
    <section aria-labelledby="list-heading" aria-busy={waiting || undefined}>
      <div
        aria-live="polite"
        className="sticky top-20 z-20 flex h-0 items-start justify-end sm:justify-center low:top-4"
      >
        {!isOnline && (
          <p className="flex animate-fade-in items-center gap-2 rounded-full border border-line-strong bg-raised px-4 py-2 text-sm font-semibold lifted">
            <WifiOff aria-hidden="true" className="size-4 text-bad" />
            You're offline
          </p>
        )}
        {news && isOnline && (
          <Button type="button" className="animate-fade-in lifted" onClick={showLatest}>
            <ArrowUp aria-hidden="true" className="size-4" />
            {news}
          </Button>
        )}
      </div>
      <div className="mb-5 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h1
          ref={title}
          id="list-heading"
          tabIndex={-1}
          className="min-w-0 text-xl font-bold outline-none"
        >
          {heading}
        </h1>
        <p role="status" className="text-sm text-muted figures">
          {waiting ? (
            <span className="animate-fade-in [animation-delay:120ms]">Loading videos...</span>
          ) : (
            !hasError && total > 0 && formatQuantity(total, "video")
          )}
        </p>
      </div>
      {hasChoices && !hasError && (total > 0 || listLocation.length) && (
        <ListChoices listLocation={listLocation} />
      )}
      {hidden > 0 && !hasError && (
        <WatchedAreHidden hidden={hidden} isAll={hidden === videos.length} />
      )}
      {failure ? (
        <RequestError failure={failure} />
      ) : error ? (
        <ListError message={error} />
      ) : videos.length === 0 ? (
        listLocation.length ? (
          <NoneOfLength listLocation={listLocation} />
        ) : (
          empty
        )
      ) : (
        <div ref={cards}>
          <VideoGrid
            videos={unwatched}
            withdrawn={withdrawn}
            now={now}
            ranked={ranked}
            waiting={waiting}
            hrefFor={(id) => videoPath(id, { ...listLocation, page })}
          />
        </div>
      )}
      {!hasError && (
        <Pager
          page={page}
          pageCount={pageCount}
          hrefFor={(asked) => listPath({ ...listLocation, page: asked })}
        />
      )}
    </section>
  );
}

/** The count and the pager are of the whole list, which only the server knows. */
function WatchedAreHidden({ hidden, isAll }: { hidden: number; isAll: boolean }) {
  const videos = formatQuantity(hidden, "watched video");
  return (
    <div role="status" className="mb-5 flex flex-wrap items-center gap-x-2 text-sm text-muted">
      <p>
        {isAll
          ? "You have watched all videos on this page, and they are hidden."
          : `${videos} on this page ${hidden === 1 ? "is" : "are"} hidden.`}
      </p>
      <Button
        type="button"
        variant="ghost"
        size="sm"
        // Its text stands in line with the sentence, beside it or below.
        className="max-sm:-ml-3 forced-colors:ml-0"
        onClick={() => hideWatched(false)}
      >
        {hidden === 1 ? "Show it" : "Show them"}
      </Button>
    </div>
  );
}

function NoneOfLength({ listLocation }: { listLocation: ListLocation }) {
  return (
    <EmptyState
      icon={<Clock />}
      title="No videos of this length."
      action={
        <ButtonLink to={listPath({ ...listLocation, length: undefined, page: undefined })}>
          Any length
        </ButtonLink>
      }
    />
  );
}

/** Whether another page, category or search of this very list is on its way. */
function useWaiting(): boolean {
  const { state, location } = useNavigation();
  const { pathname } = useLocation();
  const hasFailed = useRequestFailure() !== undefined;
  const room = (path: string) => path.split("/")[1];
  return state === "loading" && !hasFailed && room(location.pathname) === room(pathname);
}
