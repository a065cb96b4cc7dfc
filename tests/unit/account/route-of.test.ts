import { type AgnosticRouteObject, matchRoutes } from "@remix-run/router";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ALWAYS_OPEN } from "~/features/age/obey-country-rules.server";
import { PERMISSIONS } from "~/features/permissions/permissions";
import { ROUTES, routeOf } from "~/features/permissions/route-of";
import { CACHED_ROUTES } from "~/platform/node/page-cache.server";
import { isStudioRoute } from "~/platform/node/request-context.server";
import { READ_ROUTES } from "~/platform/reader/read-replica.server";
import siteRoutes from "~/routes";

const segmentText = fc.oneof(
  fc.constantFrom(
    "x",
    "7",
    "a.data",
    "feed.xml",
    "a%2Fb",
    "%C3%A9",
    "100%25",
    "view",
    "code",
    "_root",
  ),
  fc.stringMatching(/^[\w.~-]{1,8}$/).filter((text) => !/^\.{1,2}$/.test(text)),
);
/** Generates spellings of a character: in either case or percent-encoded. */
const spelling = fc.constantFrom<(character: string) => string>(
  ...[
    (character: string) => character,
    (character: string) => character,
    (character: string) => character.toUpperCase(),
  ],
  (character) => `%${character.charCodeAt(0).toString(16)}`,
);
const segment = fc.oneof(
  fc.constantFrom(...new Set(ROUTES.flatMap((route) => route.split("/").slice(1)))),
  segmentText,
);
const pattern = fc.oneof(
  fc.constantFrom(...ROUTES.filter((route) => route !== "/assets/*")),
  fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`),
);
/** Arbitrary spellings of URLs, with or without a route. */
const target = fc
  .tuple(
    pattern,
    fc.infiniteStream(segmentText),
    fc.infiniteStream(spelling),
    fc.constantFrom("", "", "/", "//", ".data"),
    fc.constantFrom("", "?a=/b", "?"),
  )
  .map(([route, segmentTexts, spellings, end, query]) => {
    const next = <T>(stream: Iterator<T>) => stream.next().value as T;
    const filled = route.replace(/:\w+\??|\*/g, () => next(segmentTexts));
    const path = filled.replace(/%..|[a-z]/g, (character) =>
      character.length > 1 ? character : next(spellings)(character),
    );
    return path + (end === ".data" && path === "/" ? "_root.data" : end) + query;
  })
  .filter((written) => !written.startsWith("/assets/"));

describe("the route for a request target", () => {
  it.each([
    ["/", "/"],
    ["/?search=evening", "/"],
    ["/_root.data?page=2", "/"],
    ["/video/7", "/video/:id"],
    ["/video/7.data", "/video/:id"],
    ["/VIDEO/7/", "/video/:id"],
    ["/video/7/stream", "/video/:id/stream"],
    ["/categories", "/categories/:category?"],
    ["/categories/desi", "/categories/:category?"],
    ["/auth/code", "/auth/code"],
    ["/media/videos/1/2.mp4", "/media/*"],
    ["/preview/secret/media/videos/1/2.mp4", "/preview/:token/media/*"],
    ["/sitemap.xml", "/sitemap.xml"],
    ["/sitemapxxml", "/*"],
    ["/assets/root-1.js", "/assets/*"],
    ["/video/7/no-such-part", "/*"],
    ["/%zz", "/*"],
    ["", "/"],
    ["/ASSETS/root-1.js", "/*"],
  ])("%s is %s", (address, route) => {
    expect(routeOf(address)).toBe(route);
  });

  it("is the route that the framework matches, however the URL is spelled", () => {
    const table = siteRoutes.map(({ path = "", index }) => ({
      ...{ id: `/${path}`, path, index: index ?? false },
    })) as AgnosticRouteObject[];
    const expected = (target: string) => {
      const { pathname } = new URL(`http://site.example${target}`);
      const page = /\.data$/.test(pathname)
        ? pathname.replace(/\.data$/, "").replace(/^\/_root$/, "/")
        : pathname;
      return matchRoutes(table, page)?.at(-1)?.route.id ?? "none";
    };
    fc.assert(
      fc.property(target, (written) => {
        expect(routeOf(written)).toBe(expected(written));
      }),
      { numRuns: 3_000 },
    );
  });

  it("is always a known route", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webPath(), fc.webUrl()), (address) => {
        expect(ROUTES).toContain(routeOf(address));
        expect(ROUTES).toContain(routeOf(`/${address}`));
      }),
    );
  });

  it("can be any of the site's routes", () => {
    for (const route of ROUTES) {
      expect(routeOf(route.replace(/:\w+\??/g, "x").replace("*", "x/y"))).toBe(
        route === "/*" ? "/*" : route,
      );
    }
  });
});

describe("rules based on routes", () => {
  const LISTS: Record<string, Iterable<string>> = {
    "open in every country": ALWAYS_OPEN,
    "in the page cache": CACHED_ROUTES,
    "answered by a reader": READ_ROUTES,
  };
  const isPublic = (route: string) => PERMISSIONS[route] === "anyone" || route === "/assets/*";

  it.each(Object.entries(LISTS))("contain only existing routes: %s", (_, list) => {
    expect([...list].filter((route) => !ROUTES.includes(route))).toEqual([]);
  });

  it("never allow the studio to be cached or served by a replica", () => {
    expect([...CACHED_ROUTES, ...READ_ROUTES].filter((route) => !isPublic(route))).toEqual([]);
  });
});

describe("a studio URL", () => {
  it.each(["/admin", "/ADMIN/", "/admin/queue", "/%61dmin/videos/7/consent"])("can be %s", (url) =>
    expect(isStudioRoute(routeOf(url))).toBe(true),
  );

  it.each(["/", "/video/admin", "/administrator", "/api/v1/videos", "/tags/%2Fadmin%2F"])(
    "can't be %s",
    (url) => expect(isStudioRoute(routeOf(url))).toBe(false),
  );
});
