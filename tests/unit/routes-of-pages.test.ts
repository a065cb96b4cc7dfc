import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { matchPath } from "@remix-run/react";
import { afterEach, expect, it } from "vitest";
import routes from "~/routes";
import { leaveRoutesOfPages } from "../../remix.config.js";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "manifest-"));
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

it("the browser's table names the routes with a page", () => {
  const assets = path.join(folder, "assets");
  fs.mkdirSync(assets);
  fs.writeFileSync(path.join(assets, "home-1.js"), "export default 1;");
  // What Rollup writes for a route that exports nothing to the browser.
  fs.writeFileSync(path.join(assets, "feed-2.js"), "\n");
  const home = { id: "home", hasLoader: true, module: "/assets/home-1.js" };
  const table = {
    version: "3",
    routes: {
      home: { ...home, hasAction: false, css: [] },
      feed: { id: "feed", module: "/assets/feed-2.js" },
    },
  };
  const file = path.join(assets, "manifest-0a1b.js");
  fs.writeFileSync(file, `window.__remixManifest=${JSON.stringify(table)};`);
  leaveRoutesOfPages(folder);
  leaveRoutesOfPages(folder);
  const expected = JSON.stringify({ version: "3", routes: { home } });
  expect(fs.readFileSync(file, "utf8")).toBe(`window.__remixManifest=${expected};`);
});

it("links and forms to a route without a page load the document", () => {
  const withoutPage = routes.filter(({ file }) => file.endsWith(".ts")).map((route) => route.path!);
  const elements = fs
    .readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .flatMap(
      (file) => fs.readFileSync(path.join("app", file), "utf8").match(/<(Form|Link)\b[^>]*/g) ?? [],
    );
  const leading = elements.filter((element) => {
    const [, address] = /\b(?:action|to)="(\/[^"?]*)/.exec(element) ?? [];
    return address && withoutPage.some((pattern) => matchPath(`/${pattern}`, address));
  });
  expect(leading.length).toBeGreaterThan(1);
  expect(leading.filter((element) => !element.includes("reloadDocument"))).toEqual([]);
});
