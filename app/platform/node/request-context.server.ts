import { AsyncLocalStorage } from "node:async_hooks";
import diagnostics from "node:diagnostics_channel";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The Node request and response behind the Request that a loader or action sees.
 *
 * remix-serve hides them, but Node publishes both on a diagnostics channel before the server
 * handles the request. Whatever runs for the request afterwards finds them here.
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

/** The Node side of the request being handled; undefined outside of one, as in a test. */
export function requestContext(): RequestContext | undefined {
  return storage.getStore();
}

/**
 * Returns a signal that is aborted when the client of the request being handled leaves; undefined outside of one.
 * Not for work that goes on after the response.
 */
export function clientSignal(): AbortSignal | undefined {
  const response = requestContext()?.response;
  if (!response) return undefined;
  const controller = new AbortController();
  const leave = () => controller.abort(new Error("The client has left."));
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

/** Calls `listener` for every connection to the HTTP server of the site, before its first byte is read. */
export function onConnection(listener: (server: Server, socket: Socket) => void): void {
  diagnostics.subscribe("net.server.socket", (message) => {
    // Node knows the server of a connection, and does not document where.
    const { socket } = message as { socket: Socket & { server?: unknown } };
    const { server } = socket;
    if (server instanceof Server && !internalServers.has(server)) listener(server, socket);
  });
}

/** Returns the route that answers a request target, as the table of permissions writes it. */
export type RouteNaming = (target: string) => string;

let naming: RouteNaming = () => "/*";

/** Sets how routes are named. The table of all routes belongs to `account`, which this room may not use. */
export function nameRoutes(routeOf: RouteNaming): void {
  naming = routeOf;
}

/** Returns whether a route, as `routeNameOf` returns it, belongs to the studio. */
export function isStudioRoute(route: string): boolean {
  return route === "/admin" || route.startsWith("/admin/");
}

/** Returns the route of a request target, such as `/video/:id`: never a part of what was asked for. */
export function routeNameOf(target: string | undefined): string {
  return naming(target ?? "/");
}

/** https://www.rtalabel.org: the label that filters of parents look for, on pages and on media. */
export const RTA_LABEL = "RTA-5042-1996-1400-1577-RTA";
