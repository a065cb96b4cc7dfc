import { createStore, useStore } from "../store";

/**
 * Handles failed requests for a page's data: while the browser is offline, if the connection breaks, if a proxy
 * responds with an error, or if the site responds with an error when an open page requests newer data. The router would
 * replace the page with an error page. Instead, this module keeps the request pending until a retry succeeds, or until
 * the router aborts it because the visitor navigates to another page. Remix 2 has no hook for this: its router doesn't
 * accept a data strategy, `clientLoader` would request the root's data separately, and an error boundary no longer has
 * the previous data.
 */
export interface RequestFailure {
  /** Whether the request was for a list of videos or for another page. */
  target: "videos" | "page";
  /** Why it failed. */
  message: string;
  isRetrying: boolean;
}

interface FailedRequest extends RequestFailure {
  retry(): void;
}

const failed = new Set<FailedRequest>();
const current = createStore<RequestFailure | undefined>(undefined);

const LIST_PATH = /^\/(?:trending|categories(?:\/[^/]+)?|tags\/[^/]+)?$/;

/** Whether a path belongs to a list of videos: Home, Categories, Trending or a tag. */
export function isListPath(pathname: string): boolean {
  return LIST_PATH.test(pathname);
}

/**
 * Wraps `fetch`, which the router uses for its requests. Handles only GET requests for the data or routes of pages, and
 * passes on all other requests.
 */
export function watchPageRequests(): void {
  const send = window.fetch;
  window.fetch = (input, init) => {
    const url = pageUrl(input, init);
    if (!url) return send(input, init);
    return answerOf(url, () => send(input, init), init?.signal ?? undefined);
  };
  window.addEventListener("online", retryFailedRequests);
}

/** Retries all failed requests. */
export function retryFailedRequests(): void {
  for (const request of [...failed]) request.retry();
}

/** Returns the failure that the page has to show, if there is one. */
export function useRequestFailure(): RequestFailure | undefined {
  return useStore(current);
}

function pageUrl(input: RequestInfo | URL, init: RequestInit | undefined): URL | undefined {
  if (input instanceof Request || (init?.method ?? "GET") !== "GET") return undefined;
  const url = new URL(input, window.location.href);
  const isData = url.pathname.endsWith(".data");
  return isData && url.origin === window.location.origin ? url : undefined;
}

async function answerOf(
  url: URL,
  send: () => Promise<Response>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const page = pageAddress(url);
  const target = isListPath(page.pathname) ? "videos" : "page";
  let request: FailedRequest | undefined;
  try {
    for (;;) {
      const answer = await wholeAnswer(send, signal);
      if (answer && !isFailure(answer, page)) return answer;
      signal?.throwIfAborted();
      if (request) failed.delete(request);
      await new Promise<void>((resolve, reject) => {
        request = { target, message: messageOf(target, answer), isRetrying: false, retry: resolve };
        failed.add(request);
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        announce();
      });
      if (request) request.isRetrying = true;
      announce();
    }
  } finally {
    if (request) failed.delete(request);
    announce();
  }
}

/** Returns the response once its body has arrived completely; undefined if the connection breaks. */
async function wholeAnswer(send: () => Promise<Response>, signal: AbortSignal | undefined) {
  try {
    const answer = await send();
    await answer.clone().arrayBuffer();
    return answer;
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}

function messageOf(target: RequestFailure["target"], answer: Response | undefined): string {
  if (!navigator.onLine) return "You are offline.";
  if (target === "videos") return "Failed to fetch videos.";
  if (answer?.status === 429)
    return "Too many pages were requested from your network. Wait a few seconds.";
  return answer ? "The site returned an error." : "Couldn’t reach the site.";
}

/** Returns the URL of the page whose data is requested. The data for / has the path /_root.data. */
function pageAddress(url: URL): URL {
  const page = new URL(url);
  page.pathname = url.pathname.replace(/(?:_root)?\.data$/, "");
  page.searchParams.delete("_routes");
  return page;
}

/**
 * Whether to keep the current page after an error response: if the error is from a proxy, if it is a rate limit, or if
 * the request was for a list or a refresh. Otherwise, the site's error page is shown, with a log reference.
 */
function isFailure({ status, headers }: Response, page: URL): boolean {
  const isFromSite = headers.has("X-Remix-Response");
  if (status === 429 && !isFromSite) return true;
  return status >= 500 && (!isFromSite || isListPath(page.pathname) || isOpen(page));
}

function isOpen({ pathname, searchParams }: URL): boolean {
  const open = new URL(window.location.href);
  return pathname === open.pathname && `${searchParams}` === `${open.searchParams}`;
}

function announce(): void {
  const [first] = failed;
  current.set(first && { ...first });
}
