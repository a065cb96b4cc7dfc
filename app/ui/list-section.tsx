import { Form, useLocation, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import type { VideoPage } from "~/catalogue/video-card";
import { type ListPlace, listPath, videoPath } from "./addresses";
import { Button } from "./button";
import { EmptyState } from "./empty-state";
import { Pager } from "./pager";
import { VideoGrid } from "./video-grid";

/** A list of videos with its heading, its pager, and what stands there when it has none. */
export function ListSection({
  heading,
  list,
  error,
  place,
  now,
  ranked,
  empty,
}: {
  heading: string;
  list: VideoPage;
  /** Why the list could not be read. */
  error?: string;
  /** Of which list this is a page; the pager and the cards derive their addresses from it. */
  place: ListPlace;
  now: number;
  ranked?: boolean;
  /** Shown when the list is empty. */
  empty: ReactNode;
}) {
  const waiting = useWaiting();
  const { videos, page, pageCount, total } = list;
  return (
    <section aria-labelledby="list-heading" aria-busy={waiting || undefined}>
      <div className="mb-5 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h1 id="list-heading" className="min-w-0 text-xl font-bold">
          {heading}
        </h1>
        <p role="status" className="text-sm text-muted tabular-nums">
          {waiting ? (
            <span className="animate-fade-in [animation-delay:120ms]">Loading videos...</span>
          ) : (
            !error && total > 0 && countOf(total)
          )}
        </p>
      </div>
      {error ? (
        <ListError message={error} />
      ) : videos.length === 0 ? (
        empty
      ) : (
        <VideoGrid
          videos={videos}
          now={now}
          ranked={ranked}
          waiting={waiting}
          hrefFor={(id) => videoPath(id, { ...place, page })}
        />
      )}
      {!error && (
        <Pager
          page={page}
          pageCount={pageCount}
          hrefFor={(asked) => listPath({ ...place, page: asked })}
        />
      )}
    </section>
  );
}

const WHOLE = new Intl.NumberFormat("en");

function countOf(total: number): string {
  return `${WHOLE.format(total)} ${total === 1 ? "video" : "videos"}`;
}

/** Whether another page, category or search of this very list is on its way. */
function useWaiting(): boolean {
  const { state, location } = useNavigation();
  const { pathname } = useLocation();
  const room = (path: string) => path.split("/")[1];
  return state === "loading" && room(location.pathname) === room(pathname);
}

function ListError({ message }: { message: string }) {
  const { pathname, search } = useLocation();
  return (
    <div role="alert">
      <EmptyState
        title={`Error loading videos: ${message}`}
        action={
          // A form, because it is an action and not a place; it reloads without scripts too.
          <Form action={pathname} reloadDocument>
            {[...new URLSearchParams(search)].map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <Button>Retry</Button>
          </Form>
        }
      />
    </div>
  );
}
