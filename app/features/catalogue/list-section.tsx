import { Form, useLocation, useNavigate, useNavigation } from "@remix-run/react";
import { ArrowUp, EyeOff, ListFilter, WifiOff } from "lucide-react";
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { setHidesWatched, useHidesWatched, useUnwatched } from "~/features/visitor/watch-history";
import { type ListLocation, listPath, videoPath } from "~/shared/addresses";
import { formatQuantity } from "~/shared/format";
import {
  AGES,
  DEFAULT_ORDER,
  hasFilters,
  LENGTHS,
  LIST_ORDERS,
  parseListView,
} from "~/shared/list-view";
import type { VideoPage } from "~/shared/video-card";
import { Button, ButtonLink } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { closeOnEscape } from "~/ui/close-on-escape";
import { EmptyState } from "~/ui/empty-state";
import { ListError, RequestError, useListFailure } from "~/ui/feedback/list-error";
import { useRequestFailure } from "~/ui/live/failed-requests";
import { useHydrated } from "~/ui/use-hydrated";
import { Pager } from "./pager";
import { useStableList } from "./use-stable-list";
import { VideoGrid } from "./video-card";

const MAX_TAGS_LENGTH = 500;

/** A list of videos with a heading, a pager and an empty state. */
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
  /** The reason why the list couldn't be loaded. */
  error?: string;
  /** The list that this page belongs to. The URLs for the pager and the cards are derived from it. */
  listLocation: ListLocation;
  now: number;
  ranked?: boolean;
  /** Whether to show the controls for the sort order, the length and hiding watched videos. */
  hasChoices?: boolean;
  /** Shown when the list is empty. */
  empty: ReactNode;
}) {
  const waiting = useIsLoading();
  const failure = useListFailure();
  const hasError = error !== undefined || failure !== undefined;
  const isOnline = useOnline();
  const title = useRef<HTMLHeadingElement>(null);
  const cards = useRef<HTMLDivElement>(null);
  const { list, news, withdrawn } = useStableList(latest, cards);
  const { videos, page, pageCount, total } = list;
  const { unwatched, hidden } = useUnwatched(videos, hasChoices);

  /**
   * Scrolls to the top, as after a navigation. The list can then update, which it doesn't do while the visitor has
   * scrolled down or while it has focus.
   */
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
      {hasChoices && !hasError && (total > 0 || hasFilters(listLocation)) && (
        <ListChoices listLocation={listLocation} />
      )}
      {hidden > 0 && !hasError && (
        <HiddenWatchedNotice hidden={hidden} isAll={hidden === videos.length} />
      )}
      {failure ? (
        <RequestError failure={failure} />
      ) : error ? (
        <ListError message={error} />
      ) : videos.length === 0 ? (
        hasFilters(listLocation) && !listLocation.search ? (
          <NoMatchingVideos listLocation={listLocation} />
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
          hrefFor={(page) => listPath({ ...listLocation, page })}
        />
      )}
    </section>
  );
}

/** A note that some videos on this page are hidden. The count and the pager still refer to the whole list. */
function HiddenWatchedNotice({ hidden, isAll }: { hidden: number; isAll: boolean }) {
  return (
    <div role="status" className="mb-5 flex flex-wrap items-center gap-x-2 text-sm text-muted">
      <p>
        {isAll
          ? "You’ve watched everything on this page."
          : `${formatQuantity(hidden, "watched video")} hidden on this page`}
      </p>
      <Button
        type="button"
        variant="ghost"
        size="sm"
        // Aligns the button with the text, whether it is next to the text or below it.
        className="max-sm:-ml-3 forced-colors:ml-0"
        onClick={() => setHidesWatched(false)}
      >
        Show
      </Button>
    </div>
  );
}

function NoMatchingVideos({ listLocation }: { listLocation: ListLocation }) {
  const { from, category, order } = listLocation;
  return (
    <EmptyState
      icon={<ListFilter />}
      title="No videos match these filters."
      action={<ButtonLink to={listPath({ from, category, order })}>Clear filters</ButtonLink>}
    />
  );
}

/** Returns whether another page, category or search of the same list is loading. */
function useIsLoading(): boolean {
  const { state, location } = useNavigation();
  const { pathname } = useLocation();
  const hasFailed = useRequestFailure() !== undefined;
  const section = (path: string) => path.split("/")[1];
  return state === "loading" && !hasFailed && section(location.pathname) === section(pathname);
}

/**
 * The controls for the sort order, the filters and hiding watched videos. They are a form that works without JavaScript.
 * With JavaScript, a choice takes effect immediately and returns to the first page, and defaults are omitted from the
 * URL. Only this browser knows which videos were watched, so they are hidden on the client.
 */
function ListChoices({ listLocation }: { listLocation: ListLocation }) {
  const { from, category, search, close, tags = [], not = [] } = listLocation;
  const { order = DEFAULT_ORDER, length = "", since = "" } = listLocation;
  const navigate = useNavigate();
  const hydrated = useHydrated();
  const hidesWatched = useHidesWatched();
  const orders = LIST_ORDERS.filter(({ id }) =>
    id === "relevance" ? Boolean(search) : !(close && id === DEFAULT_ORDER),
  );

  function show(form: HTMLFormElement) {
    const parameters = new URLSearchParams();
    for (const [name, value] of new FormData(form)) parameters.append(name, String(value));
    const to = listPath({ from, category, search, close, ...parseListView(parameters) });
    navigate(to, { preventScrollReset: true });
  }

  return (
    <Form
      key={listPath(listLocation)}
      action={listPath({ from, category: from === "home" ? undefined : category })}
      aria-label="Sort and filter"
      onSubmit={(event) => {
        event.preventDefault();
        show(event.currentTarget);
      }}
      onChange={(event) => {
        if (event.target instanceof HTMLSelectElement) show(event.currentTarget);
      }}
      className="relative mb-5 flex flex-wrap gap-2 print:hidden"
    >
      {search && <input type="hidden" name="search" value={search} />}
      {close && <input type="hidden" name="close" value="1" />}
      {from === "home" && category && <input type="hidden" name="category" value={category} />}
      <Choice
        name="sort"
        label="Sort by"
        value={close && order === DEFAULT_ORDER ? "relevance" : order}
      >
        {orders.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Choice>
      <Choice name="length" label="Length" value={length}>
        <option value="">Any length</option>
        {LENGTHS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Choice>
      <MoreFilters since={since} tags={tags} not={not} />
      <button
        type="button"
        aria-pressed={hidesWatched}
        onClick={() => setHidesWatched(!hidesWatched)}
        className={classNames(
          "inline-flex min-h-11 items-center gap-2 rounded-md border px-3 py-1 text-sm transition-colors mouse:min-h-9",
          hidesWatched
            ? "border-accent bg-accent text-on-accent"
            : "border-line bg-surface text-muted hover:border-line-strong hover:text-ink",
          // Until hydration, the button is invisible but takes up its space.
          !hydrated && "invisible scriptless:hidden",
        )}
      >
        <EyeOff aria-hidden="true" className="size-4" />
        Hide watched
      </button>
      <noscript>
        <Button variant="secondary" size="sm">
          Show
        </Button>
      </noscript>
    </Form>
  );
}

/** The filters that few visitors need, in a panel that opens without JavaScript. */
function MoreFilters({
  since,
  tags,
  not,
}: {
  since: string;
  tags: readonly string[];
  not: readonly string[];
}) {
  const count = Number(since !== "") + tags.length + not.length;
  return (
    <details onKeyDown={closeOnEscape} className="sm:relative">
      <summary
        className={classNames(
          "inline-flex min-h-11 list-none items-center gap-2 rounded-md border px-3 text-sm transition-colors mouse:min-h-9",
          count > 0
            ? "border-accent text-ink"
            : "border-line bg-surface text-muted hover:border-line-strong hover:text-ink",
        )}
      >
        <ListFilter aria-hidden="true" className="size-4" />
        Filters{count > 0 && ` (${count})`}
      </summary>
      <div className="absolute inset-x-0 z-30 mt-2 flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 lifted sm:right-auto sm:w-72">
        <Choice name="since" label="Date" value={since}>
          <option value="">Any date</option>
          {AGES.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Choice>
        <TagField name="tag" label="With all of these tags" tags={tags} />
        <TagField name="not" label="Without these tags" tags={not} />
        <p className="text-xs text-muted">Separate tags with commas.</p>
        <Button variant="secondary" size="sm">
          Apply
        </Button>
      </div>
    </details>
  );
}

function TagField({ name, label, tags }: { name: string; label: string; tags: readonly string[] }) {
  return (
    <label className="flex flex-col gap-1 text-sm text-muted">
      {label}
      <input
        name={name}
        defaultValue={tags.join(", ")}
        dir="auto"
        autoComplete="off"
        autoCapitalize="none"
        maxLength={MAX_TAGS_LENGTH}
        className="min-h-11 rounded-md border border-line-strong bg-ground px-3 text-base text-ink mouse:min-h-9 mouse:text-sm"
      />
    </label>
  );
}

function Choice({
  name,
  label,
  value,
  children,
}: {
  name: string;
  label: string;
  value: string;
  children: ReactNode;
}) {
  const select = useRef<HTMLSelectElement>(null);
  // The URL was changed by something else, such as the Back button or a link.
  useEffect(() => {
    if (select.current) select.current.value = value;
  }, [value]);
  return (
    <select
      ref={select}
      name={name}
      aria-label={label}
      defaultValue={value}
      autoComplete="off"
      className="min-h-11 max-w-full rounded-md border border-line bg-surface px-3 text-sm text-ink transition-colors hover:border-line-strong mouse:min-h-9"
    >
      {children}
    </select>
  );
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** Returns whether the browser is online. Always true in the HTML rendered by the server. */
function useOnline(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
}
