import type { RouteConfigEntry } from "@remix-run/route-config";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requirePermission } from "~/features/permissions/guard.server";
import { PERMISSIONS } from "~/features/permissions/permissions";
import { openSession } from "~/features/permissions/session.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import routeConfig from "~/routes";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { brokenRouteRules, type RouteUnderTest } from "./route-rules";

const modules = import.meta.glob<RouteUnderTest["module"]>(
  "../../../app/features/*/routes/*.{ts,tsx}",
);

let site: ReturnType<typeof useTemporarySite>;
let cookie: string;
beforeEach(async () => {
  site = useTemporarySite();
  cookie = (await openSession(insertUser().id)).split(";")[0]!;
});
afterEach(() => site.remove());

const entries = (list: RouteConfigEntry[], above = ""): { path: string; file: string }[] =>
  list.flatMap(({ path, file, children }) => {
    const whole = [above, path].filter(Boolean).join("/");
    return [{ path: whole, file }, ...entries(children ?? [], whole)];
  });
const routes = entries(await routeConfig);

describe("every route", () => {
  it("is listed, including the studio, sign-in and sign-out", () => {
    const paths = routes.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["admin", "admin/account", "auth", "sign-out"]));
  });

  it("has a permission, and each permission has a route", () => {
    const urls = new Set(routes.map(({ path }) => `/${path}`));
    const lines = Object.keys(PERMISSIONS).map((line) => line.split(" ")[0]!);
    expect([...new Set(lines)].sort()).toEqual([...urls].sort());
    expect([...urls].filter((url) => !(url in PERMISSIONS))).toEqual([]);
  });

  it.each(routes)(
    "/$path rejects visitors and requests from other sites where required",
    async ({ path, file }) => {
      const load = modules[`../../../app/${file}`];
      expect(load, file).toBeDefined();
      expect(await brokenRouteRules({ path, module: await load!() }, cookie)).toEqual([]);
    },
  );
});

describe("the route rules", () => {
  type Args = { request: Request };
  const guarded = async ({ request }: Args) => {
    await requirePermission(request, "/admin");
    requireOwnOrigin(request);
    return null;
  };
  const ownOnly = async ({ request }: Args) => {
    requireOwnOrigin(request);
    return null;
  };
  const userOnly = async ({ request }: Args) => {
    await requirePermission(request, "/admin");
    return null;
  };
  const open = async () => null;
  const broken = (path: string, module: RouteUnderTest["module"]) =>
    brokenRouteRules({ path, module }, cookie);

  it("are met by guarded routes", async () => {
    const module = { loader: userOnly as never, action: guarded as never };
    expect(await broken("admin/new", module)).toEqual([]);
    expect(await broken("contact", { loader: open, action: ownOnly as never })).toEqual([]);
  });

  it.each([
    [
      "an admin loader without the guard",
      "admin/new",
      { loader: open },
      "its loader responds to a visitor",
    ],
    [
      "an admin action without the guard",
      "admin/new",
      { action: ownOnly },
      "responds to a visitor's POST",
    ],
    [
      "another action that isn't listed as public",
      "tags/:id",
      { action: ownOnly },
      "responds to a visitor's PUT",
    ],
    [
      "an action that doesn't check the origin",
      "admin/new",
      { action: userOnly },
      "accepts a POST with",
    ],
    [
      "a public action that doesn't check the origin",
      "contact",
      { action: open },
      '"Sec-Fetch-Site":"same-site"',
    ],
  ])("detect %s", async (_, path, module, complaint) => {
    expect((await broken(path, module as never)).join("\n")).toContain(complaint);
  });
});
