import type { ServerResponse } from "node:http";
import { routeNameOf } from "~/platform/node/request-context.server";
import { HEARTBEAT_MS } from "~/ui/live/event-client";
import { type CatalogueVersion, catalogueVersion } from "~db/changes.server";
import { every, type PeriodicWork, processState } from "~db/runtime.server";
import { clientAddressOf } from "../client-address.server";
import { acquireSlot } from "../node/connection-limits.server";
import { type Middleware, sendText, whenClosed } from "../node/middleware.server";
import { onShutdown } from "../node/shutdown.server";
import { type Change, studioVersion, subscribe, type Topic } from "./hub.server";

/**
 * The maximum number of streams per address, which is enough for several people with many tabs, but not for a client
 * that opens thousands.
 */
export const MAX_STREAMS_PER_ADDRESS = 50;
/** The maximum number of streams. Further streams are refused, so that some sockets are left for pages. */
const MAX_STREAMS = 10_000;
/** The heartbeat is an event rather than a comment, so that a page can notice that a connection is dead. */
const HEARTBEAT = "event: heartbeat\ndata: {}\n\n";
/** How long a browser waits before it reconnects automatically. Our client handles back-off itself. */
const RETRY_MS = 1_000;
const TRY_AGAIN_SECONDS = "10";
const TOO_MANY = "Too many open streams.";
const PUBLIC_TOPICS: ReadonlySet<Topic> = new Set<Topic>(["catalogue", "views"]);
/**
 * The maximum number of queued bytes, beyond which a client that has stopped reading is disconnected. An event has a
 * few hundred bytes.
 */
const MAX_QUEUED_BYTES = 64 * 1024;

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Neither our compression nor a proxy may buffer events.
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

interface Subscription {
  /** Removes the stream from its address's count. */
  release: () => void;
  /**
   * Whether the stream's session may still receive studio events. Called before each such event, and every few seconds.
   * Undefined for a visitor.
   */
  isOpen: (() => boolean) | undefined;
}

interface OpenStreams {
  streams: Map<ServerResponse, Subscription>;
  /** The number of streams for each address. */
  counts: Map<string, number>;
  unsubscribe?: (() => void) | undefined;
  heartbeat?: PeriodicWork | undefined;
}

const openStreams = processState<OpenStreams>(
  "event streams",
  () => {
    onShutdown(endStreams);
    return { streams: new Map(), counts: new Map() };
  },
  endStreams,
);

export function openStreamCount(): number {
  return openStreams().streams.size;
}

/**
 * Returns the middleware that sends server-sent events: first `hello` with the catalogue's version, then any events
 * that a reconnecting client has missed, then an event for each change, named after its topic.
 *
 * It handles requests before Express does, because Express and Remix use about 20 KiB for each request in progress, and
 * streams stay open.
 *
 * @param jobEventsAccess given a Cookie header, returns a function that reports whether the session may still follow
 *   the job queue; undefined if the session never had that permission.
 */
export function serveEvents(
  jobEventsAccess: (cookies: string) => (() => boolean) | undefined,
): Middleware {
  return (request, response) => {
    if (request.method !== "GET" || routeNameOf(request.url) !== "/events") return false;
    const [path = "", query] = (request.url ?? "").split("?", 2);
    if (path.endsWith(".data")) return false;
    const { headers } = request;
    const wantsJobs = new URLSearchParams(query).has("jobs");
    const isOpen = wantsJobs ? jobEventsAccess(headers.cookie ?? "") : undefined;
    const greeting = greet(headers["last-event-id"]?.toString(), isOpen !== undefined);
    const hasRoom = openStreamCount() < MAX_STREAMS;
    const release = acquireSlot(
      openStreams().counts,
      clientAddressOf(request),
      MAX_STREAMS_PER_ADDRESS,
    );
    if (!hasRoom || !release) {
      release?.();
      const status = release ? 503 : 429;
      return sendText(response, status, TOO_MANY, { "Retry-After": TRY_AGAIN_SECONDS });
    }
    response.writeHead(200, HEADERS).write(greeting);
    // Node keeps a request in memory while its response is open. Free the request's headers, which take up to 8 KB.
    request.headers = {};
    request.rawHeaders = [];
    whenClosed(request, response, () => remove(response));
    add(response, { release, isOpen });
    return true;
  };
}

function add(response: ServerResponse, wanted: Subscription): void {
  const state = openStreams();
  state.streams.set(response, wanted);
  state.unsubscribe ??= subscribe(sendChange);
  state.heartbeat ??= every(HEARTBEAT_MS, "send a heartbeat", () => send(HEARTBEAT));
}

/** Removes a stream. The stream may already have been removed, because closing a stream also closes its connection. */
function remove(response: ServerResponse): void {
  const state = openStreams();
  const { streams } = state;
  const removed = streams.get(response);
  if (!removed) return;
  streams.delete(response);
  removed.release();
  if (streams.size > 0) return;
  state.unsubscribe?.();
  void state.heartbeat?.stop();
  state.unsubscribe = undefined;
  state.heartbeat = undefined;
}

/** Ends all streams. */
export function endStreams(): void {
  for (const response of [...openStreams().streams.keys()]) end(response);
}

/** Ends the streams whose sessions have lost access. The browser reconnects as a visitor. */
export function endClosedStreams(): void {
  for (const [response, { isOpen }] of [...openStreams().streams])
    if (isOpen?.() === false) end(response);
}

function end(response: ServerResponse): void {
  response.end();
  remove(response);
}

function sendChange({ topic, version }: Change): void {
  send(event(topic, version), topic);
}

function send(text: string, topic?: Topic): void {
  const isPrivate = !topic || !PUBLIC_TOPICS.has(topic);
  for (const [response, { isOpen }] of [...openStreams().streams]) {
    if (topic && isPrivate && !isOpen) continue;
    // Another process, such as `npm run set-password`, may have ended the session.
    if (isPrivate && isOpen?.() === false) {
      end(response);
      continue;
    }
    // Something else, such as a shutdown, may have ended the response, and writing to it would throw.
    if (response.writableEnded) remove(response);
    else if (response.writableLength > MAX_QUEUED_BYTES) response.destroy();
    else response.write(text);
  }
}

function greet(lastEventId: string | undefined, hasJobs: boolean): string {
  const version = catalogueVersion();
  const studio = hasJobs ? { studio: studioVersion(version) } : undefined;
  const hello = `retry: ${RETRY_MS}\n${event("hello", version, studio)}`;
  const hasMissed = lastEventId !== undefined && lastEventId !== eventId(version);
  // Event ids don't cover job events.
  const hasMissedJobs = hasJobs && lastEventId !== undefined;
  return (
    hello +
    (hasMissed ? event("catalogue", version) : "") +
    (hasMissedJobs ? event("jobs", version) : "")
  );
}

/** Returns an event as text. Only events for signed-in users contain anything about the studio. */
function event(
  name: Topic | "hello",
  version: CatalogueVersion,
  studio?: { studio: string },
): string {
  const { catalogue, views } = version;
  const data = JSON.stringify({ catalogue, views, ...studio });
  return `id: ${eventId(version)}\nevent: ${name}\ndata: ${data}\n\n`;
}

function eventId({ catalogue, views }: CatalogueVersion): string {
  return `${catalogue}.${views}`;
}
