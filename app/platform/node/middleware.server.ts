import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { logWhenAnswered } from "./access-log.server";
import { onRequestStart, RTA_LABEL } from "./request-context.server";

/**
 * What stands before remix-serve's own Express application: it answers a request itself and returns
 * true, or leaves it to the next and, in the end, to Express.
 */
export type Middleware = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * A connection that nothing has passed over for so long is closed. It replaces Node's
 * limit of 300 s for a whole request, which would cut off a large upload over a home line.
 */
export const IDLE_TIMEOUT_MS = 5 * 60 * 1000;

/** RFC 9110 §9.3.6: a tunnel is what proxies give. */
const NO_TUNNEL = `HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD, POST\r\nRating: ${RTA_LABEL}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

const middleware: Middleware[] = [];
const servers = new WeakSet<Server>();

/** Runs `added` for every request, after those that were added before. */
export function addMiddleware(added: Middleware): void {
  if (middleware.length === 0) {
    onRequestStart(({ server, request }) => {
      if (servers.has(server)) return;
      servers.add(server);
      limitByIdleness(server, request);
      runBeforeExpress(server);
    });
  }
  middleware.push(added);
}

/** Node is about to emit the first request: listeners that are exchanged now already get it. */
function runBeforeExpress(server: Server): void {
  const behind = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (middleware.some((each) => each(request, response))) {
      logWhenAnswered(request, response);
      return;
    }
    for (const listener of behind) listener.call(server, request, response);
  });
  // Node closes such a connection without a word.
  server.on("connect", (_request, socket) => socket.end(NO_TUNNEL));
}

function limitByIdleness(server: Server, { socket }: IncomingMessage): void {
  server.requestTimeout = 0;
  server.setTimeout(IDLE_TIMEOUT_MS);
  // The server's setting is for connections to come.
  socket.setTimeout(IDLE_TIMEOUT_MS);
}

/**
 * Runs `work` once, when a response is closed or its connection is. Node never closes a response that waits behind
 * an unfinished one on the same connection.
 */
export function whenClosed(
  { socket }: IncomingMessage,
  response: ServerResponse,
  work: () => void,
): void {
  let isDone = false;
  const done = () => {
    // A socket that closes also closes its response, while its own listeners are being called.
    if (isDone) return;
    isDone = true;
    response.off("close", done);
    socket.off("close", done);
    work();
  };
  if (socket.destroyed) {
    work();
    return;
  }
  // One for each request that is pipelined.
  socket.setMaxListeners(0);
  response.once("close", done);
  socket.once("close", done);
}

/** A short answer in words. */
export function answerPlainly(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    ...headers,
  });
  response.end(`${message}\n`);
  return true;
}
