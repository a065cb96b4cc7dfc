import { AsyncLocalStorage } from "node:async_hooks";
import diagnostics from "node:diagnostics_channel";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The Node request and response for the Request that a loader or action receives. remix-serve hides them, but Node
 * publishes both on a diagnostics channel before the server handles the request.
 */
export interface RequestContext {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
}

const storage = new AsyncLocalStorage<RequestContext>();
type Listener = (context: RequestContext) => void;
const listeners = new Set<Listener>();
let subscribed = false;
const internalServers = new WeakSet<Server>();

/** Exempts an internal HTTP server from the site's middleware, request hooks and timeouts. */
export function exemptFromMiddleware(server: Server): void {
  internalServers.add(server);
}

/** Returns the context of the current request; undefined outside a request, such as in a test. */
export function requestContext(): RequestContext | undefined {
  return storage.getStore();
}

/**
 * Returns a signal that is aborted when the client of the current request disconnects; undefined outside a request.
 * Don't use it for work that continues after the response.
 */
export function clientSignal(): AbortSignal | undefined {
  const response = requestContext()?.response;
  if (!response) return undefined;
  const controller = new AbortController();
  const leave = () => controller.abort(new Error("The client has disconnected."));
  if (response.closed) leave();
  else response.once("close", leave);
  return controller.signal;
}

/** Calls `listener` at the start of every request, before any route sees it. */
export function onRequestStart(listener: Listener): void {
  listeners.add(listener);
  if (subscribed) return;
  subscribed = true;
  diagnostics.subscribe("http.server.request.start", (message) => {
    const context = message as RequestContext;
    if (internalServers.has(context.server)) return;
    storage.enterWith(context);
    for (const each of listeners) each(context);
  });
}

/** Calls `listener` for every connection to the site's HTTP server, before the first byte is read. */
export function onConnection(listener: (server: Server, socket: Socket) => void): void {
  diagnostics.subscribe("net.server.socket", (message) => {
    // This property of Node's sockets is undocumented.
    const { socket } = message as { socket: Socket & { server?: unknown } };
    const { server } = socket;
    if (server instanceof Server && !internalServers.has(server)) listener(server, socket);
  });
}

/** Returns the route for a request target, as written in the permissions table. */
export type RouteNaming = (target: string) => string;

let naming: RouteNaming = () => "/*";

/**
 * Sets the function that returns a route's name. The table of routes belongs to `accounts`, which this module must not
 * import.
 */
export function nameRoutes(routeOf: RouteNaming): void {
  naming = routeOf;
}

/** Whether a route, as returned by `routeNameOf`, belongs to the studio. */
export function isStudioRoute(route: string): boolean {
  return route === "/admin" || route.startsWith("/admin/");
}

/** Returns the route for a request target, such as `/video/:id`, without any part of the actual path. */
export function routeNameOf(target: string | undefined): string {
  return naming(target ?? "/");
}

/** The label for pages and media that parental filters look for (https://www.rtalabel.org). */
export const RTA_LABEL = "RTA-5042-1996-1400-1577-RTA";
