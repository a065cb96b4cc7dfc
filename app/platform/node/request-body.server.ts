import { IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { processState } from "~db/runtime.server";
import {
  isStudioRoute,
  onRequestStart,
  RTA_LABEL,
  requestContext,
  routeNameOf,
} from "./request-context.server";
import { onShutdown } from "./shutdown.server";

/**
 * The bodies that may be gigabytes, read from Node's own request.
 *
 * The framework wraps every body in a web stream as soon as a request arrives; going through that
 * wrapper costs three times the CPU. So a body of this kind is held back where it comes in, and
 * whoever handles the request takes it from Node with `claimBody`, with its back-pressure.
 */

/**
 * How long, and for how many bytes, a sender that was already answered may go on sending. Closing
 * at once would reset the connection, and the answer would be lost with it (RFC 9112 §9.6).
 */
const LINGER_MS = 10_000;
const LINGER_BYTES = 64 * 1024 * 1024;

const STREAMED_TYPES = /^(multipart\/form-data|application\/offset\+octet-stream)\b/i;
/** In the HTTP API, other calls read their bodies as the framework gives them. */
const API_UPLOAD = /^\/api\/v1\/uploads\//i;

/** At the way out, an upload of which nothing has come for so long is answered and let go. */
const STALLED_MS = 1_000;
/** How long one that is moving may go on; the rest of the grace time is for its answer. */
const MOVING_MS = 4_000;
const POLL_EVERY_MS = 50;

const reading = processState("uploads being read", () => new Map<IncomingMessage, () => void>());

const deferred = new WeakSet<IncomingMessage>();
const ignoreReadable = () => {};

function isStreamed(url: string): boolean {
  const route = routeNameOf(url);
  return isStudioRoute(route) || (route === "/api/v1/*" && API_UPLOAD.test(url));
}

/** Holds back the bodies of uploads from now on. Called once, before the first request. */
export function deferUploadBodies(): void {
  onShutdown(endUploads);
  onRequestStart(({ request, response }) => {
    if (!STREAMED_TYPES.test(request.headers["content-type"] ?? "")) return;
    if (!isStreamed(request.url ?? "")) return;
    // While a `readable` listener is there, the wrapper's `data` listener starts nothing.
    request.on("readable", ignoreReadable);
    deferred.add(request);
    liftBodyDeadline(request);
    closeAfterEarlyAnswer(request, response);
  });
}

/**
 * The body of a request, to be read once: Node's own stream inside the server, the web stream
 * outside of one.
 */
export function claimBody(request: Request): Readable {
  const node = requestContext()?.request;
  if (node && deferred.delete(node)) {
    removeListeners(node);
    // Letting go of `readable` would start the flow, before anybody listens.
    node.pause();
    return node;
  }
  if (!request.body) return Readable.from([]);
  return Readable.fromWeb(request.body as NodeReadableStream);
}

/** Has `stop` called when the reading of a body has to end, so that it can still be answered. */
export function stopAtShutdown(body: Readable, stop: () => void): void {
  if (!(body instanceof IncomingMessage)) return;
  const bodies = reading();
  bodies.set(body, stop);
  for (const event of ["end", "close"]) body.once(event, () => bodies.delete(body));
}

/** Lets uploads that are moving arrive, and answers the others with 503. */
async function endUploads(): Promise<void> {
  const until = Date.now() + MOVING_MS;
  const last = new Map<IncomingMessage, { bytes: number; at: number }>();
  while (reading().size > 0) {
    const now = Date.now();
    for (const [request, stop] of reading()) {
      const bytes = request.socket.bytesRead;
      const before = last.get(request);
      if (before?.bytes !== bytes) last.set(request, { bytes, at: now });
      const isStalled = before?.bytes === bytes && now - before.at >= STALLED_MS;
      if (!isStalled && now < until) continue;
      reading().delete(request);
      stop();
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
}

function removeListeners(request: IncomingMessage): void {
  request.off("readable", ignoreReadable);
  // One by one: removeAllListeners leaves the stream believing that somebody listens.
  for (const listener of request.listeners("data")) {
    request.off("data", listener as (chunk: Buffer) => void);
  }
}

/** An answer that is given before the body has arrived is the connection's last. */
function closeAfterEarlyAnswer(request: IncomingMessage, response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    if (!request.complete) {
      response.setHeader("Connection", "close");
      lingerOnClose(request, request.socket);
    }
    return Reflect.apply(writeHead, this, args);
  } as typeof writeHead;
}

/** Node destroys a connection as soon as its last answer is written; this reads on for a while. */
function lingerOnClose(request: IncomingMessage, socket: Socket): void {
  socket.destroySoon = () => {
    if (request.complete || socket.destroyed) {
      socket.end(() => socket.destroy());
      return;
    }
    const most = socket.bytesRead + LINGER_BYTES;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once("close", () => clearTimeout(timer));
    socket.end();
    request.unpipe();
    removeListeners(request);
    request.on("data", () => {
      if (socket.bytesRead > most) socket.destroy();
    });
    request.once("end", () => socket.destroy());
    request.resume();
  };
}

/**
 * How long the body of a request may take, uploads apart. Without an end, one byte every few seconds
 * would hold a connection and a request for hours: an idle timeout never sees it as idle.
 */
const BODY_DEADLINE_MS = 60_000;

const withoutDeadline = new WeakSet<IncomingMessage>();

/** For an upload, which takes as long as its bytes take; it has the idle timeout and its own rules. */
export function liftBodyDeadline(request: IncomingMessage): void {
  withoutDeadline.add(request);
}

/** Ends the connection of a body that has not arrived in time, from now on. */
export function limitBodyTime(deadlineMs = BODY_DEADLINE_MS): void {
  onRequestStart(({ request, response }) => {
    if (!hasBody(request)) return;
    const timer = setTimeout(() => {
      if (request.complete || withoutDeadline.has(request)) return;
      if (response.headersSent) request.socket.destroy();
      else refuse(request);
    }, deadlineMs).unref();
    request.once("close", () => clearTimeout(timer));
  });
}

/** RFC 9110 §15.5.9. To the socket, because a route may still be about to answer. */
function refuse({ socket }: IncomingMessage): void {
  const head = `HTTP/1.1 408 Request Timeout\r\nRating: ${RTA_LABEL}\r\nConnection: close`;
  socket.end(`${head}\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
