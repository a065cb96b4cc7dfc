import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Bookmark } from "lucide-react";
import { useCallback, useState } from "react";
import { useCards } from "~/features/catalogue/fetch-cards";
import { pageMeta } from "~/features/catalogue/page-meta";
import { VideoGrid } from "~/features/catalogue/video-card";
import { removeSavedVideos, useSavedVideos } from "~/features/visitor/saved-videos";
import { siteIdentity } from "~/platform/site-origin.server";
import { videoPath } from "~/shared/addresses";
import { SAVED_AT_ONCE } from "~/shared/pages";
import type { VideoCardData } from "~/shared/video-card";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useHydrated } from "~/ui/use-hydrated";
import { SavedFileButtons } from "../saved-file-buttons";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "Saved Videos",
        description: "The videos you saved in this browser.",
        path: "/saved",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return { site: siteIdentity(request), now: Date.now() };
}

/** The page with the visitor's saved videos. The server learns only which cards the page requests. */
export default function Saved() {
  const hydrated = useHydrated();
  return (
    <section aria-labelledby="list-heading">
      <h1 id="list-heading" className="text-xl font-bold">
        Saved Videos
      </h1>
      <div className="mt-1 mb-5 flex min-h-11 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-sm text-muted">Stored only in this browser.</p>
        {hydrated && <SavedFileButtons />}
      </div>
      <noscript>
        <EmptyState icon={<Bookmark />} title="Saved videos require JavaScript.">
          They are stored in your browser.
        </EmptyState>
      </noscript>
      {hydrated && <List />}
    </section>
  );
}

function List() {
  const { now } = useLoaderData<typeof loader>();
  const { ids, cards, gone, state, hasMore, showMore, retry } = useSavedCards();
  if (ids.length === 0) {
    return (
      <EmptyState
        icon={<Bookmark />}
        title="No saved videos yet."
        action={<ButtonLink to="/">Back to Home</ButtonLink>}
      >
        Tap the bookmark on a video to keep it here, or import a list you exported from another
        browser.
      </EmptyState>
    );
  }
  return (
    <>
      <VideoGrid videos={cards} now={now} hrefFor={(id) => videoPath(id)} onRemove={remove} />
      <div role="status" className="mt-6 text-center text-muted">
        {state === "loading" && "Loading videos..."}
        {gone.length > 0 && (
          <p>
            {gone.length === 1
              ? "1 saved video is no longer available. "
              : `${gone.length} saved videos are no longer available. `}
            <Button variant="ghost" size="sm" type="button" onClick={() => removeSavedVideos(gone)}>
              Remove
            </Button>
          </p>
        )}
      </div>
      {state === "failed" && (
        <div role="alert">
          <EmptyState
            title="Error loading videos: Failed to fetch videos."
            action={
              <Button type="button" onClick={retry}>
                Retry
              </Button>
            }
          />
        </div>
      )}
      {state === "ready" && hasMore && (
        <div className="mt-8 text-center">
          <Button type="button" variant="secondary" onClick={showMore}>
            Show More
          </Button>
        </div>
      )}
    </>
  );
}

const remove = (id: string) => removeSavedVideos([id]);

type State = "loading" | "failed" | "ready";
/** The card that the server has returned for each id, or null if it returned none. */
type Known = ReadonlyMap<string, VideoCardData | null>;

/** Returns the saved videos with their cards, which are requested in batches. */
export function useSavedCards() {
  const ids = useSavedVideos();
  const [known, setKnown] = useState<Known>(new Map());
  const [most, setMost] = useState(SAVED_AT_ONCE);
  const shown = ids.slice(0, most);
  const requested = shown.filter((id) => !known.has(id)).slice(0, SAVED_AT_ONCE);
  const { failed, retry } = useCards(requested, (cards, requestedIds) => {
    const found = new Map(cards.map((card) => [card.id, card]));
    setKnown((before) => {
      const after = new Map(before);
      for (const id of requestedIds) after.set(id, found.get(id) ?? null);
      return after;
    });
  });

  const state: State = requested.length === 0 ? "ready" : failed ? "failed" : "loading";
  return {
    ids,
    cards: shown.flatMap((id) => known.get(id) ?? []),
    /** The ids of saved videos that are no longer public. */
    gone: shown.filter((id) => known.get(id) === null),
    state,
    hasMore: ids.length > most,
    showMore: useCallback(() => setMost((before) => before + SAVED_AT_ONCE), []),
    retry,
  };
}
