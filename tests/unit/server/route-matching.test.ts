import {
  type AgnosticRouteObject,
  createStaticHandler,
  matchRoutes,
  type StaticHandlerContext,
} from "@remix-run/router";
import { expect, it } from "vitest";
import { candidates, firstSegment, narrowHandler } from "~/platform/node/route-matching.server";
import siteRoutes from "~/routes";

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

it.each(PATHS)(
  "finds the same route for %j with and without filtering routes by their first segment",
  async (path) => {
    const routes = await allRoutes();
    const found = (all: AgnosticRouteObject[], location: Parameters<typeof matchRoutes>[1]) =>
      matchRoutes(all, location)?.map(({ route, ...match }) => ({ ...match, id: route.id }));
    const few = candidates(routes, firstSegment(path));
    expect(found(few, path)).toEqual(found(routes, path));
    expect(found(few, { pathname: path })).toEqual(found(routes, { pathname: path }));
  },
);

it("excludes routes with a different first segment", async () => {
  const children = (await siteRoutes).map(({ file, path, index }) => ({ id: file, path, index }));
  const few = candidates([{ path: "", children }] as AgnosticRouteObject[], firstSegment("/"));
  expect(few[0]?.children?.map(({ id }) => id)).toEqual([
    "features/catalogue/routes/home.tsx",
    "features/site/routes/not-found.tsx",
  ]);
});

it.each(PATHS)("runs the same loaders for %j as a handler for all routes", async (path) => {
  const routes = await allRoutes();
  const few = narrowHandler(routes, createStaticHandler);
  const all = createStaticHandler(routes);
  const request = () => new Request(`http://site.example${path}`);
  const summary = ({ matches, ...context }: StaticHandlerContext) => ({
    ...context,
    location: context.location.pathname,
    matches: matches.map(({ route, params, pathname }) => ({ id: route.id, params, pathname })),
  });
  const query = async (handler: typeof all) =>
    summary((await handler.query(request())) as StaticHandlerContext);
  expect(await query(few)).toEqual(await query(all));
  const routeId = (await query(all)).matches.at(-1)?.id;
  for (const id of [routeId, "root", "features/catalogue/routes/home.tsx"]) {
    const queryOne = (handler: typeof all) =>
      handler.queryRoute(request(), { routeId: id }).catch((error: unknown) => error);
    expect(await queryOne(few)).toEqual(await queryOne(all));
  }
});

it("creates at most one handler per first segment, no matter how many requests there are", async () => {
  let created = 0;
  const handler = narrowHandler(await allRoutes(), (routes) => {
    created += 1;
    return createStaticHandler(routes);
  });
  const query = (path: string) => handler.query(new Request(`http://site.example${path}`));
  for (const path of PATHS) await query(path);
  const before = created;
  for (let index = 0; index < 500; index++) await query(`/unknown-${index}/more`);
  expect(created).toBe(before);
});
