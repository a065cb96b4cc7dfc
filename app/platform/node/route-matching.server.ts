import { createRequire } from "node:module";
import type {
  AgnosticRouteObject,
  createStaticHandler,
  matchRoutes,
  StaticHandler,
} from "@remix-run/router";

// The CommonJS build, which remix-serve and the other Remix packages share on the server.
const router = createRequire(import.meta.url)("@remix-run/router") as {
  matchRoutes: typeof matchRoutes;
  createStaticHandler: typeof createStaticHandler;
};

/**
 * Makes Remix match URLs only against the routes whose first segment can match.
 *
 * Remix matches a page's URL at least five times. Each time, it ranks all routes and compiles a regular expression for
 * each route that it tries. This took a third of the CPU time for rendering a page (`npm run bench -- pages`).
 */
export function narrowRouteMatching(): void {
  const { matchRoutes: matchAll, createStaticHandler: createHandler } = router;
  router.matchRoutes = (routes, location, basename = "/") =>
    matchAll(
      basename === "/" ? candidates(routes, firstSegment(location)) : routes,
      location,
      basename,
    );
  router.createStaticHandler = (routes, options) =>
    (options?.basename ?? "/") === "/"
      ? narrowHandler(routes, (few) => createHandler(few, options))
      : createHandler(routes, options);
}

/**
 * Returns a static handler that delegates to a separate handler for each first segment in the routes, and to one more
 * handler for all other URLs. Separate handlers are necessary because a static handler matches URLs itself, against the
 * routes that it was created with.
 */
export function narrowHandler(
  routes: AgnosticRouteObject[],
  create: (routes: AgnosticRouteObject[]) => StaticHandler,
): StaticHandler {
  const all = create(routes);
  const segments = new Set(routes.flatMap(staticSegments));
  const handlers = new Map<string, StaticHandler>();
  function handlerFor({ url }: Request): StaticHandler {
    const segment = firstSegment(new URL(url).pathname);
    if (segment === undefined) return all;
    const key = segments.has(segment) ? segment : "*";
    const handler = handlers.get(key) ?? create(candidates(routes, key));
    handlers.set(key, handler);
    return handler;
  }
  return {
    dataRoutes: all.dataRoutes,
    query: (request, options) => handlerFor(request).query(request, options),
    queryRoute: (request, options) => handlerFor(request).queryRoute(request, options),
  };
}

function staticSegments({ path, index, children = [] }: AgnosticRouteObject): string[] {
  if (!path && !index) return children.flatMap(staticSegments);
  return [segmentOf(path).toLowerCase()];
}

/** Returns the routes that can match a URL with this first segment, or all routes if the segment is undefined. */
export function candidates<Route extends AgnosticRouteObject>(
  routes: Route[],
  segment: string | undefined,
): Route[] {
  if (segment === undefined) return routes;
  return routes.flatMap((route) => {
    if (!route.path && route.children)
      return [{ ...route, children: candidates(route.children, segment) }];
    const own = segmentOf(route.path);
    const isDynamic = /^$|^[:*]|\?$/.test(own);
    return route.index || isDynamic || own.toLowerCase() === segment ? [route] : [];
  });
}

function segmentOf(path = ""): string {
  return /^\/?([^/]*)/.exec(path)![1]!;
}

/**
 * Returns the first segment of a URL, normalized for the comparison with routes, or undefined if it can't be decoded.
 */
export function firstSegment(location: Partial<{ pathname: string }> | string): string | undefined {
  const path = typeof location === "string" ? location : (location.pathname ?? "/");
  const [, segment = ""] = /^\/*([^/?#]*)/.exec(path)!;
  try {
    return decodeURIComponent(segment).toLowerCase();
  } catch {
    return undefined;
  }
}
