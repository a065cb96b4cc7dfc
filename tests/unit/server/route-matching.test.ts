import { type AgnosticRouteObject, matchRoutes } from "@remix-run/router";
import { expect, it } from "vitest";
import siteRoutes from "~/routes";
import { candidates, firstSegment } from "~/server/node/route-matching.server";

const PATHS = [
  "",
  "/",
  "//",
  "/categories",
  "/Categories/desi/",
  "/c%61tegories/desi",
  "/%63ategories",
  "/categories/desi/more",
  "/trending?cat=desi#top",
  "/video/a%2Fb",
  "/video/a/view",
  "/VIDEO/a/VIEW/",
  "//video/a",
  "/saved",
  "/saved/videos",
  "/auth/code",
  "/admin",
  "/admin/uploads",
  "/admin/uploads/4",
  "/admin/nothing",
  "/media/videos/1/2.mp4",
  "/media",
  "/sitemap.xml",
  "/sitemap/2.xml",
  "/sitemap%2Exml",
  "/favicon.ico",
  "/faviconxico",
  "/nothing/at/all",
  "/%",
  "/%E0%A4%A/desi",
  "/\u212aategories",
  "/ſaved",
];

it.each(PATHS)("finds the same route for %j among the candidates as among all", async (path) => {
  const children = (await siteRoutes).map(({ id, file, path, index }) => ({
    id: id ?? file,
    path,
    index,
  }));
  const routes = [{ id: "root", path: "", children }] as AgnosticRouteObject[];
  const found = (all: AgnosticRouteObject[], location: Parameters<typeof matchRoutes>[1]) =>
    matchRoutes(all, location)?.map(({ route, ...match }) => ({ ...match, id: route.id }));
  const few = candidates(routes, firstSegment(path));
  expect(found(few, path)).toEqual(found(routes, path));
  expect(found(few, { pathname: path })).toEqual(found(routes, { pathname: path }));
});

it("tries no route that another first segment leads to", async () => {
  const children = (await siteRoutes).map(({ file, path, index }) => ({ id: file, path, index }));
  const few = candidates([{ path: "", children }] as AgnosticRouteObject[], firstSegment("/"));
  expect(few[0]?.children?.map(({ id }) => id)).toEqual([
    "routes/home.tsx",
    "routes/not-found.tsx",
  ]);
});
