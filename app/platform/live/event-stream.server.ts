import type { IncomingMessage, ServerResponse } from "node:http";
import { routeNameOf } from "~/platform/node/request-context.server";
import { HEARTBEAT_MS } from "~/ui/live/event-client";
import { type CatalogueVersion, catalogueVersion } from "~db/changes.server";
import { every, type PeriodicWork, processState } from "~db/runtime.server";
import { clientAddressOf } from "../client-address.server";
import { answerPlainly, type Middleware, whenClosed } from "../node/middleware.server";
import { onShutdown } from "../node/shutdown.server";
import { type Change, studioVersion, subscribe, type Topic } from "./hub.server";

/** Of one address: a household with many tabs, but not a client that opens thousands. */
export const MOST_STREAMS_PER_ADDRESS = 50;
/** More than this many open streams are turned away, so that there are sockets left for pages. */
const MOST_STREAMS = 10_000;
/** An event rather than a comment, so that a page can notice that a connection is dead. */
const HEARTBEAT = "event: heartbeat\ndata: {}\n\n";
/** What a browser waits that reconnects by itself. Ours does it with a back-off of its own. */
const RETRY_MS = 1_000;
const TRY_AGAIN_SECONDS = "10";
const TOO_MANY = "Too many open streams.";
const PUBLIC_TOPICS: ReadonlySet<Topic> = new Set<Topic>(["catalogue", "views"]);
/** A client that takes nothing any more is let go: an event is some hundred bytes. */
const MOST_WAITING_BYTES = 64 * 1024;

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Neither our compression nor a proxy may hold events back.
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

/** Where events are written: Node's response, or a stand-in for it where there is no server. */
type Sink = Pick<ServerResponse, "write" | "end" | "destroy" | "writableLength" | "writableEnded">;

interface Subscription {
  /** What it wants beside the catalogue and its views. */
  topics: ReadonlySet<Topic>;
  address: string;
  /** Whether it may still be told more than visitors are: asked before each such event, and every few seconds. */
  isOpen?: () => boolean;
}

interface OpenStreams {
  streams: Map<Sink, Subscription>;
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
 * A stream of server-sent events, as a Response where there is no server: first `hello` with the version of the
 * catalogue, then an event for each change, named after its topic.
 *
 * @param lastEventId of a client that was here before: what it missed is announced at once.
 */
export function openEventStream({
  topics = [],
  lastEventId,
  address = "",
  isOpen,
  most = MOST_STREAMS,
}: {
  topics?: Topic[];
  isOpen?: () => boolean;
  lastEventId?: string | null;
  address?: string;
  most?: number;
} = {}): Response {
  const status = limitStatus(address, most);
  if (status) {
    return new Response(`${TOO_MANY}\n`, {
      status,
      headers: { "Retry-After": TRY_AGAIN_SECONDS, "Cache-Control": "no-store" },
    });
  }
  const wanted = {
    topics: topics.length > 0 ? new Set([...PUBLIC_TOPICS, ...topics]) : PUBLIC_TOPICS,
    address,
    ...(isOpen && { isOpen }),
  };
  const greeting = greet(lastEventId ?? undefined, topics);
  return new Response(plainBody(wanted, greeting), { headers: HEADERS });
}

/**
 * Returns the middleware that opens streams before Express sees the request: what it and Remix hold for one under
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
    const address = clientAddressOf(request);
    const status = limitStatus(address, MOST_STREAMS);
    if (status) {
      return answerPlainly(response, status, TOO_MANY, { "Retry-After": TRY_AGAIN_SECONDS });
    }
    const { headers } = request;
    const wantsJobs = new URLSearchParams(query).has("jobs");
    const isOpen = wantsJobs ? jobEventsAccess(headers.cookie ?? "") : undefined;
    const topics: Topic[] = isOpen ? ["jobs"] : [];
    const greeting = greet(headers["last-event-id"]?.toString(), topics);
    response.writeHead(200, HEADERS).write(greeting);
    forgetHeaders(request);
    whenClosed(request, response, () => remove(response));
    const wanted = topics.length > 0 ? new Set([...PUBLIC_TOPICS, ...topics]) : PUBLIC_TOPICS;
    add(response, { topics: wanted, address, ...(isOpen && { isOpen }) });
    return true;
  };
}

/** Node keeps a request as long as its response is open: its headers, up to 8 KB, need not last that long. */
function forgetHeaders(request: IncomingMessage): void {
  request.headers = {};
  request.rawHeaders = [];
}

/** 429 for an address that has too many, 503 when all together are; undefined when there is room. */
function limitStatus(address: string, most: number): 429 | 503 | undefined {
  if ((openStreams().counts.get(address) ?? 0) >= MOST_STREAMS_PER_ADDRESS) return 429;
  return openStreamCount() >= most ? 503 : undefined;
}

/** Without a server, as in a test of the loader. */
function plainBody(wanted: Subscription, greeting: string) {
  let sink: Sink;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      const end = () => {
        if (remove(sink)) controller.close();
        return sink as ServerResponse;
      };
      const write = (text: string) => {
        controller.enqueue(encoder.encode(text));
        return true;
      };
      sink = { write, end, destroy: end, writableLength: 0, writableEnded: false };
      write(greeting);
      add(sink, wanted);
    },
    cancel() {
      remove(sink);
    },
  });
}

function add(sink: Sink, wanted: Subscription): void {
  const state = openStreams();
  const { streams, counts } = state;
  streams.set(sink, wanted);
  counts.set(wanted.address, (counts.get(wanted.address) ?? 0) + 1);
  state.unsubscribe ??= subscribe(sendChange);
  state.heartbeat ??= every(HEARTBEAT_MS, "send a heartbeat", () => send(HEARTBEAT));
}

/** False when it was removed before: an end of ours is followed by the connection's. */
function remove(sink: Sink): boolean {
  const state = openStreams();
  const { streams, counts } = state;
  const removed = streams.get(sink);
  if (!removed) return false;
  streams.delete(sink);
  const left = (counts.get(removed.address) ?? 1) - 1;
  if (left > 0) counts.set(removed.address, left);
  else counts.delete(removed.address);
  if (streams.size > 0) return true;
  state.unsubscribe?.();
  void state.heartbeat?.stop();
  state.unsubscribe = undefined;
  state.heartbeat = undefined;
  return true;
}

/** Nothing is written to them any more. */
export function endStreams(): void {
  for (const sink of [...openStreams().streams.keys()]) end(sink);
}

/** Ends the streams whose access has ended; the browser comes back as a visitor. */
export function endClosedStreams(): void {
  for (const [sink, { isOpen }] of [...openStreams().streams]) if (isOpen?.() === false) end(sink);
}

function end(sink: Sink): void {
  sink.end();
  remove(sink);
}

function sendChange({ topic, version }: Change): void {
  send(event(topic, version), topic);
}

function send(text: string, topic?: Topic): void {
  const isPrivate = !topic || !PUBLIC_TOPICS.has(topic);
  for (const [sink, { topics, isOpen }] of [...openStreams().streams]) {
    if (topic && !topics.has(topic)) continue;
    // Another process may have ended its session, such as `npm run set-password`.
    if (isPrivate && isOpen?.() === false) {
      end(sink);
      continue;
    }
    // Whoever ended it, as a shutdown does: a write after the end would throw.
    if (sink.writableEnded) remove(sink);
    else if (sink.writableLength > MOST_WAITING_BYTES) sink.destroy();
    else sink.write(text);
  }
}

function greet(lastEventId: string | undefined, topics: readonly Topic[] = []): string {
  const version = catalogueVersion();
  const studio = topics.includes("jobs") ? { studio: studioVersion(version) } : undefined;
  const hello = `retry: ${RETRY_MS}\n${event("hello", version, studio)}`;
  const hasMissed = lastEventId !== undefined && lastEventId !== eventId(version);
  // No id tells what the studio has missed.
  const others = lastEventId === undefined ? [] : topics;
  const missed = [...(hasMissed ? ["catalogue" as const] : []), ...others];
  return hello + missed.map((topic) => event(topic, version)).join("");
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
