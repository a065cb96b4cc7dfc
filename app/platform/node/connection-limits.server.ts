import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { processState } from "~db/runtime.server";
import { digest } from "../attempt-limit.server";
import { isTrustedProxy, limitedNetworkOf, networkOf } from "../client-address.server";
import { sendText, whenClosed } from "./middleware.server";
import { onConnection, RTA_LABEL, routeNameOf } from "./request-context.server";

/**
 * Limits the memory that connections and requests use. Without these limits, one client with 6,000 slow requests would
 * reach the heap limit of the Docker image, and the process would exit.
 *
 * A network is what `clientAddress` returns: an IPv4 address, or the /64 of an IPv6 address.
 */

/**
 * The maximum number of connections from all clients, including proxies: 10,000 event streams, which is their maximum,
 * and 2,000 others. Node closes further connections without reading from them.
 */
const MAX_CONNECTIONS = 12_000;
/**
 * The maximum number of connections from one network. Several hundred people may share an IPv4 address: 50 of them can
 * have an event stream. Browsers open six connections for a page, but idle connections are closed after five seconds.
 * Trusted proxies are exempt, because their connections carry the requests of all visitors.
 */
const MAX_CONNECTIONS_PER_NETWORK = 200;
/**
 * The maximum number of requests in progress in Express and Remix. Each uses up to 100 KB of heap while its body is
 * arriving or its response is being read. That is 200 MB in total, of the 512 MB that the Docker image allows.
 */
export const MAX_REQUESTS = 2_000;
/**
 * The maximum number of requests in progress from one network, even if it is behind a proxy or one connection carries
 * several requests.
 */
export const MAX_REQUESTS_PER_NETWORK = 200;
/** The maximum number of headers. Browsers send about 20, and a CDN adds about 10. */
const MAX_HEADERS = 64;
/**
 * The maximum size of all headers together. Node allows 16 KB, which would stay on the heap until the response ends.
 */
const MAX_HEADER_BYTES = 8 * 1024;

/**
 * Routes without limits. An orchestrator that gets no response would restart the site, and event streams have separate
 * limits.
 */
const EXEMPT_ROUTES = ["/healthz", "/events"];

const RETRY_AFTER_SECONDS = 5;
const TOO_MANY = "Too many open connections from your network. Try again in a moment.";
const TOO_BUSY = "The site is too busy. Try again in a moment.";
/** The minimum time between two log lines about refusals. */
const LOG_EVERY_MS = 60_000;

const load = processState("connections", () => ({
  /** By network. */
  connections: new Map<string, number>(),
  requests: new Map<string, number>(),
  requestCount: 0,
  /** The number of refusals since the last log line. */
  refused: 0,
  /** No line is logged before this time. */
  quietUntil: 0,
}));
const prepared = new WeakSet<Server>();

/** Starts limiting the connections to all servers in this process. */
export function limitConnections(): void {
  onConnection((server, socket) => {
    if (!prepared.has(server)) {
      prepared.add(server);
      server.maxConnections = MAX_CONNECTIONS;
      server.on("drop", noteRefusal);
      // Node silently drops headers beyond this number. Allowing one more than the limit reveals that it was exceeded.
      server.maxHeadersCount = MAX_HEADERS + 1;
    }
    const { remoteAddress } = socket;
    // The socket is already closed.
    if (remoteAddress === undefined) return void socket.destroy();
    if (isTrustedProxy(remoteAddress)) return;
    const release = acquireSlot(
      load().connections,
      networkOf(remoteAddress),
      MAX_CONNECTIONS_PER_NETWORK,
    );
    if (release) socket.once("close", release);
    else refuseConnection(socket);
  });
}

/** Middleware that responds with 431 (RFC 6585 §5) if there are more or longer headers than any browser sends. */
export function refuseManyHeaders(request: IncomingMessage, response: ServerResponse): boolean {
  const bytes = request.rawHeaders.reduce((sum, text) => sum + text.length, 0);
  if (request.rawHeaders.length / 2 <= MAX_HEADERS && bytes <= MAX_HEADER_BYTES) return false;
  response.shouldKeepAlive = false;
  return sendText(response, 431, "The request headers are too large.");
}

/**
 * Middleware that limits the number of requests that Express and Remix handle at the same time. It responds with 429 if
 * one network has too many, and with 503 if there are too many in total.
 */
export function limitRequests(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method === "GET" && EXEMPT_ROUTES.includes(routeNameOf(request.url))) return false;
  const now = load();
  if (now.requestCount >= MAX_REQUESTS) return refuseRequest(response, 503, TOO_BUSY);
  const network = limitedNetworkOf(request);
  const release = network && acquireSlot(now.requests, network, MAX_REQUESTS_PER_NETWORK);
  if (network && !release) return refuseRequest(response, 429, TOO_MANY);
  now.requestCount += 1;
  whenClosed(request, response, () => {
    now.requestCount -= 1;
    if (release) release();
  });
  return false;
}

/**
 * Increments a network's count, which is stored under the network's digest.
 *
 * @returns a function that decrements the count again; undefined if the limit has been reached.
 */
export function acquireSlot(
  counts: Map<string, number>,
  network: string,
  limit: number,
): (() => void) | undefined {
  const key = digest(network);
  const count = counts.get(key) ?? 0;
  if (count >= limit) return undefined;
  counts.set(key, count + 1);
  return () => {
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
}

function refuseConnection(socket: Socket): void {
  noteRefusal();
  const lines = [
    `HTTP/1.1 429 ${STATUS_CODES[429]}`,
    `Rating: ${RTA_LABEL}`,
    `Retry-After: ${RETRY_AFTER_SECONDS}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${TOO_MANY.length}`,
    "Connection: close",
  ];
  socket.on("error", () => {});
  socket.write(`${lines.join("\r\n")}\r\n\r\n${TOO_MANY}`);
  socket.destroy();
}

/** Refuses a request that exceeds a limit, and counts the refusal for the log. */
export function refuseRequest(
  response: ServerResponse,
  status: 429 | 503,
  message: string,
  retryAfterSeconds = RETRY_AFTER_SECONDS,
): true {
  noteRefusal();
  // The rest of the request's body isn't read.
  response.shouldKeepAlive = false;
  return sendText(response, status, message, { "Retry-After": String(retryAfterSeconds) });
}

/** Logs the first refusal and then, at most once a minute, the number of refusals. Never logs an address. */
function noteRefusal(): void {
  const now = load();
  now.refused += 1;
  if (performance.now() < now.quietUntil) return;
  console.warn(
    `Refused ${now.refused} connections or requests since the last message. A single network, or all networks together, exceeded a limit.`,
  );
  now.refused = 0;
  now.quietUntil = performance.now() + LOG_EVERY_MS;
}
