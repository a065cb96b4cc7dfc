import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { logOnClose } from "./access-log.server";
import { onRequestStart, RTA_LABEL } from "./request-context.server";

/**
 * A function that runs before remix-serve's Express application. It returns true if it handles the request. Otherwise,
 * the next middleware, or finally Express, handles it.
 */
export type Middleware = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Connections without traffic for this long are closed. This replaces Node's limit of 300 s for a whole request, which
 * would abort a large upload over a home connection.
 */
export const IDLE_TIMEOUT_MS = 5 * 60 * 1000;

/** The response to CONNECT (RFC 9110 §9.3.6), which only proxies support. */
const NO_TUNNEL = `HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD, POST\r\nRating: ${RTA_LABEL}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

const middleware: Middleware[] = [];
const servers = new WeakSet<Server>();

/** Runs `added` for every request, after the middleware that was added earlier. */
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

/**
 * Replaces the server's listeners. Node is about to emit the first request, and even that one goes to the new listeners.
 */
function runBeforeExpress(server: Server): void {
  const replaced = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (middleware.some((each) => each(request, response))) {
      logOnClose(request, response);
      return;
    }
    for (const listener of replaced) listener.call(server, request, response);
  });
  // By default, Node closes the connection of a CONNECT request without a response.
  server.on("connect", (_request, socket) => socket.end(NO_TUNNEL));
}

function limitByIdleness(server: Server, { socket }: IncomingMessage): void {
  server.requestTimeout = 0;
  server.setTimeout(IDLE_TIMEOUT_MS);
  // The server's timeout applies only to later connections.
  socket.setTimeout(IDLE_TIMEOUT_MS);
}

/**
 * Runs `work` once, when a response or its connection is closed. Node never closes a response that is waiting for an
 * unfinished response on the same connection.
 */
export function whenClosed(
  { socket }: IncomingMessage,
  response: ServerResponse,
  work: () => void,
): void {
  let isDone = false;
  const done = () => {
    // A closing socket also closes its response, while the socket's own listeners are being called.
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
  // Each pipelined request adds a listener.
  socket.setMaxListeners(0);
  response.once("close", done);
  socket.once("close", done);
}

/** Sends a plain-text response. Returns true, as middleware does if it handles the request. */
export function sendText(
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
