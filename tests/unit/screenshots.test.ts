import { type AgnosticRouteObject, matchRoutes } from "@remix-run/router";
import { expect, it } from "vitest";
import siteRoutes from "~/routes";
import { screensOf } from "../screenshots/screens";

const screens = screensOf({
  long: "long",
  plain: "plain",
  withoutFile: "no-file",
  scheduled: "scheduled",
  draft: "draft",
  all: ["long", "plain"],
  reports: { asked: "/report/asked", decided: "/report/decided" },
});

const routes = (await siteRoutes).map(({ id, file, path, index }) => ({
  id: id ?? file,
  path,
  index,
  handle: file,
})) as AgnosticRouteObject[];

const fileOf = (address: string) =>
  matchRoutes(routes, address.replace(/\?.*/, ""))?.[0]?.route.handle;

it("the screenshots cover every page of the site", () => {
  const pages = routes.map(({ handle }) => handle).filter((file) => file.endsWith(".tsx"));
  const shown = screens.map(({ address, leadsTo }) => fileOf(leadsTo ?? address));
  expect(pages.length).toBeGreaterThan(15);
  expect(pages.filter((page) => !shown.includes(page))).toEqual([]);
});

it("the screenshots have unique names", () => {
  const names = screens.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
