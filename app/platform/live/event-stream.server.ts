import type { ServerResponse } from "node:http";
import { routeNameOf } from "~/platform/node/request-context.server";
import { HEARTBEAT_MS } from "~/ui/live/event-client";
import { type CatalogueVersion, catalogueVersion } from "~db/changes.server";
import { every, type PeriodicWork, processState } from "~db/runtime.server";
import { clientAddressOf } from "../client-address.server";
import { take } from "../node/connection-limits.server";
import { answerPlainly, type Middleware, whenClosed } from "../node/middleware.server";
import { onShutdown } from "../node/shutdown.server";
import { type Change, studioVersion, subscribe, type Topic } from "./hub.server";

/** Of one address: a household with many tabs, but not a client that opens thousands. */
export const MAX_STREAMS_PER_ADDRESS = 50;
/** More than this many open streams are turned away, so that there are sockets left for pages. */
const MAX_STREAMS = 10_000;
/** An event rather than a comment, so that a page can notice that a connection is dead. */
const HEARTBEAT = "event: heartbeat\ndata: {}\n\n";
/** What a browser waits that reconnects by itself. Ours does it with a back-off of its own. */
const RETRY_MS = 1_000;
const TRY_AGAIN_SECONDS = "10";
const TOO_MANY = "Too many open streams.";
const PUBLIC_TOPICS: ReadonlySet<Topic> = new Set<Topic>(["catalogue", "views"]);
/** A client that takes nothing any more is let go: an event is some hundred bytes. */
const MAX_QUEUED_BYTES = 64 * 1024;

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Neither our compression nor a proxy may hold events back.
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

interface Subscription {
  /** Counts it off the streams of its address. */
  release: () => void;
  /**
   * Whether it may still be told more than visitors are: asked before each such event, and every few seconds.
   * Undefined for a visitor.
   */
  isOpen: (() => boolean) | undefined;
}

interface OpenStreams {
  streams: Map<ServerResponse, Subscription>;
  /** How many an address has. */
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
 * Returns the middleware that answers with server-sent events: first `hello` with the version of the catalogue, then
 * what a client that was here before has missed, then an event for each change, named after its topic.
 *
 * It opens streams before Express sees the request: what it and Remix hold for one under
 * way, some 20 KiB, would be held as long as the stream is open.
 *
 * @param jobEventsAccess says of a Cookie header whether its session may follow the job queue.
 */
export function answerEvents(
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
    const release = take(openStreams().counts, clientAddressOf(request), MAX_STREAMS_PER_ADDRESS);
    if (!hasRoom || !release) {
      release?.();
      const status = release ? 503 : 429;
      return answerPlainly(response, status, TOO_MANY, { "Retry-After": TRY_AGAIN_SECONDS });
    }
    response.writeHead(200, HEADERS).write(greeting);
    // Node keeps a request as long as its response is open: its headers, up to 8 KB, need not last that long.
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

/** Also of one that was removed before: an end of ours is followed by the connection's. */
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

/** Nothing is written to them any more. */
export function endStreams(): void {
  for (const response of [...openStreams().streams.keys()]) end(response);
}

/** Ends the streams whose access has ended; the browser comes back as a visitor. */
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
    // Another process may have ended its session, such as `npm run set-password`.
    if (isPrivate && isOpen?.() === false) {
      end(response);
      continue;
    }
    // Whoever ended it, as a shutdown does: a write after the end would throw.
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
  // No id tells what the studio has missed.
  const hasMissedJobs = hasJobs && lastEventId !== undefined;
  return (
    hello +
    (hasMissed ? event("catalogue", version) : "") +
    (hasMissedJobs ? event("jobs", version) : "")
  );
}

/** Nothing in it tells of what only the studio shows, but for who is signed in. */
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
