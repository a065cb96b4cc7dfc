import { createRequire } from "node:module";
import type {
  AgnosticRouteObject,
  createStaticHandler,
  matchRoutes,
  StaticHandler,
} from "@remix-run/router";

interface RouteMatching {
  matchRoutes: typeof matchRoutes;
  createStaticHandler: typeof createStaticHandler;
}

// As CommonJS: that is what remix-serve and the packages of the framework share on the server.
const router = createRequire(import.meta.url)("@remix-run/router") as RouteMatching;

/**
 * The framework matches the address of a page against all routes five times or more, and each time ranks
 * them and compiles a regular expression for each route that it tries: a fifth of what rendering a page
 * costs. With only the routes whose first segment can match, it tries two or three.
 */
export function narrowRouteMatching(): void {
  const { matchRoutes: matchAll, createStaticHandler: handleAll } = router;
  router.matchRoutes = (routes, location, basename) =>
    isRoot(basename)
      ? matchAll(candidates(routes, firstSegment(location)), location, basename)
      : matchAll(routes, location, basename);
  router.createStaticHandler = (routes, options) =>
    isRoot(options?.basename)
      ? narrowHandler(routes, (few) => handleAll(few, options))
      : handleAll(routes, options);
}

function isRoot(basename: string | undefined): boolean {
  return basename === undefined || basename === "/";
}

/**
 * What runs loaders and actions matches inside itself. Here it has a handler for each first segment that a
 * route is written with, one for all other addresses, and one with all routes.
 */
export function narrowHandler(
  routes: AgnosticRouteObject[],
  create: (routes: AgnosticRouteObject[]) => StaticHandler,
): StaticHandler {
  const all = create(routes);
  const written = new Set(routes.flatMap(segmentsWritten));
  const handlers = new Map<string, StaticHandler>();
  function handlerFor({ url }: Request): StaticHandler {
    const first = firstSegment(new URL(url).pathname);
    if (first === undefined) return all;
    const key = written.has(first) ? first : "*";
    let handler = handlers.get(key);
    if (!handler) {
      handler = create(candidates(routes, key));
      handlers.set(key, handler);
    }
    return handler;
  }
  return {
    dataRoutes: all.dataRoutes,
    query: (request, options) => handlerFor(request).query(request, options),
    queryRoute: (request, options) => handlerFor(request).queryRoute(request, options),
  };
}

function segmentsWritten({ path, index, children = [] }: AgnosticRouteObject): string[] {
  if (!path && !index) return children.flatMap(segmentsWritten);
  return [segmentOf(path ?? "").toLowerCase()];
}

/** The routes without those that cannot match an address whose first segment this is. */
export function candidates<R extends AgnosticRouteObject>(
  routes: R[],
  first: string | undefined,
): R[] {
  if (first === undefined) return routes;
  return routes.flatMap((route) => {
    if (!route.path && route.children) {
      return [{ ...route, children: candidates(route.children, first) }];
    }
    return route.index || mayBegin(route.path, first) ? [route] : [];
  });
}

function mayBegin(path = "", first: string): boolean {
  const own = segmentOf(path);
  const isOpen = own === "" || own.startsWith(":") || own.startsWith("*") || own.endsWith("?");
  return isOpen || own.toLowerCase() === first;
}

function segmentOf(path: string): string {
  const start = path.startsWith("/") ? 1 : 0;
  const end = path.indexOf("/", start);
  return path.slice(start, end < 0 ? undefined : end);
}

/** Undefined when the address has none that can be told: then all routes are tried. */
export function firstSegment(location: Partial<{ pathname: string }> | string): string | undefined {
  const path = typeof location === "string" ? location : (location.pathname ?? "/");
  const segment = /^\/*([^/?#]*)/.exec(path)?.[1] ?? "";
  try {
    return decodeURIComponent(segment).toLowerCase();
  } catch {
    return undefined;
  }
}
