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
 * Lets handlers read upload bodies, which may be gigabytes, directly from Node's request.
 *
 * Remix wraps every body in a web stream when the request arrives, which triples the CPU usage. So upload bodies aren't
 * read until the handler takes them from Node with `claimBody`, which also preserves back-pressure.
 */

/**
 * How long a client may continue to send after an early response, and how many bytes it may send. Closing the
 * connection immediately would reset it, and the client would lose the response (RFC 9112 §9.6).
 */
const LINGER_MS = 10_000;
const LINGER_BYTES = 64 * 1024 * 1024;

const STREAMED_TYPES = /^(multipart\/form-data|application\/offset\+octet-stream)\b/i;
/** The bodies of all other API calls are read through Remix. */
const API_UPLOAD = /^\/api\/v1\/uploads\//i;

/** During a shutdown, an upload that hasn't received anything for this long is ended with a response. */
const STALLED_MS = 1_000;
/** During a shutdown, how long active uploads may continue. The rest of the grace period is for the response. */
const MOVING_MS = 4_000;
const POLL_EVERY_MS = 50;

const reading = processState("uploads being read", () => new Map<IncomingMessage, () => void>());

const deferred = new WeakSet<IncomingMessage>();
const ignoreReadable = () => {};

function isStreamed(url: string): boolean {
  const route = routeNameOf(url);
  return isStudioRoute(route) || (route === "/api/v1/*" && API_UPLOAD.test(url));
}

/** Starts deferring upload bodies. Call it once, before the first request. */
export function deferUploadBodies(): void {
  onShutdown(endUploads);
  onRequestStart(({ request, response }) => {
    if (!STREAMED_TYPES.test(request.headers["content-type"] ?? "")) return;
    if (!isStreamed(request.url ?? "")) return;
    // While there is a `readable` listener, the wrapper's `data` listener doesn't start the flow of data.
    request.on("readable", ignoreReadable);
    deferred.add(request);
    liftBodyDeadline(request);
    closeAfterEarlyAnswer(request, response);
  });
}

/** Returns a request's body, which can be read once: Node's stream in the server, or the web stream in tests. */
export function claimBody(request: Request): Readable {
  const node = requestContext()?.request;
  if (node && deferred.delete(node)) {
    removeListeners(node);
    // Otherwise, removing the `readable` listener would start the flow of data before anyone listens.
    node.pause();
    return node;
  }
  if (!request.body) return Readable.from([]);
  return Readable.fromWeb(request.body as NodeReadableStream);
}

/** Calls `stop` when a shutdown interrupts the reading of the body, early enough for a response to be sent. */
export function stopAtShutdown(body: Readable, stop: () => void): void {
  if (!(body instanceof IncomingMessage)) return;
  const bodies = reading();
  bodies.set(body, stop);
  for (const event of ["end", "close"]) body.once(event, () => bodies.delete(body));
}

/** Waits for uploads that are making progress, and stops the rest, which then respond with 503. */
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
  // Remove them individually, because after removeAllListeners, the stream still assumes that there is a listener.
  for (const listener of request.listeners("data")) {
    request.off("data", listener as (chunk: Buffer) => void);
  }
}

/** Closes the connection after a response that is sent before the body has arrived. */
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

/**
 * Keeps reading for a while before the connection is closed. Otherwise, Node would destroy the connection after the
 * last response.
 */
function lingerOnClose(request: IncomingMessage, socket: Socket): void {
  socket.destroySoon = () => {
    if (request.complete || socket.destroyed) {
      socket.end(() => socket.destroy());
      return;
    }
    const max = socket.bytesRead + LINGER_BYTES;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once("close", () => clearTimeout(timer));
    socket.end();
    request.unpipe();
    removeListeners(request);
    request.on("data", () => {
      if (socket.bytesRead > max) socket.destroy();
    });
    request.once("end", () => socket.destroy());
    request.resume();
  };
}

/**
 * How long a request's body may take to arrive, except for uploads. Without this limit, a slow client (slowloris) could
 * keep a connection and a request open for hours by sending a byte every few seconds, so that the connection is never
 * idle.
 */
const BODY_DEADLINE_MS = 60_000;

const withoutDeadline = new WeakSet<IncomingMessage>();

/** Exempts an upload from the deadline. Uploads are subject to the idle timeout and to separate rules instead. */
export function liftBodyDeadline(request: IncomingMessage): void {
  withoutDeadline.add(request);
}

/** Starts closing connections whose request body doesn't arrive in time. */
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

/** Sends a 408 (RFC 9110 §15.5.9), directly to the socket, because a route may still be handling the request. */
function refuse({ socket }: IncomingMessage): void {
  const head = `HTTP/1.1 408 Request Timeout\r\nRating: ${RTA_LABEL}\r\nConnection: close`;
  socket.end(`${head}\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
