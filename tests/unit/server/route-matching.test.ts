import {
  type AgnosticRouteObject,
  createStaticHandler,
  matchRoutes,
  type StaticHandlerContext,
} from "@remix-run/router";
import { expect, it } from "vitest";
import siteRoutes from "~/routes";
import { candidates, firstSegment, narrowHandler } from "~/server/node/route-matching.server";

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

async function allRoutes(): Promise<AgnosticRouteObject[]> {
  const children = (await siteRoutes).map(({ id = "", file, path, index }) => ({
    id: id || file,
    path,
    index,
    loader: ({ params }: { params: unknown }) => ({ params }),
  }));
  return [{ id: "root", path: "", children }] as AgnosticRouteObject[];
}

it.each(PATHS)("finds the same route for %j among the candidates as among all", async (path) => {
  const routes = await allRoutes();
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

it.each(PATHS)("runs the same loaders for %j with few routes as with all", async (path) => {
  const routes = await allRoutes();
  const few = narrowHandler(routes, createStaticHandler);
  const all = createStaticHandler(routes);
  const request = () => new Request(`http://site.example${path}`);
  const told = ({ matches, ...context }: StaticHandlerContext) => ({
    ...context,
    location: context.location.pathname,
    matches: matches.map(({ route, params, pathname }) => ({ id: route.id, params, pathname })),
  });
  const query = async (handler: typeof all) =>
    told((await handler.query(request())) as StaticHandlerContext);
  expect(await query(few)).toEqual(await query(all));
  const routeId = (await query(all)).matches.at(-1)?.id;
  for (const asked of [routeId, "root", "routes/home.tsx"]) {
    const one = (handler: typeof all) =>
      handler.queryRoute(request(), { routeId: asked }).catch((error: unknown) => error);
    expect(await one(few)).toEqual(await one(all));
  }
});

it("makes no more handlers than there are first segments, whatever is asked for", async () => {
  let made = 0;
  const handler = narrowHandler(await allRoutes(), (routes) => {
    made += 1;
    return createStaticHandler(routes);
  });
  const ask = (path: string) => handler.query(new Request(`http://site.example${path}`));
  for (const path of PATHS) await ask(path);
  const before = made;
  for (let index = 0; index < 500; index++) await ask(`/unknown-${index}/more`);
  expect(made).toBe(before);
});
