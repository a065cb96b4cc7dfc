import fs from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTE_LABELS, routeLabel } from "~/studio/monitoring/route-labels";

describe("the route of an address, as metrics name it", () => {
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
    ["", "/*"],
  ])("%s is %s", (address, label) => {
    expect(routeLabel(address)).toBe(label);
  });

  it("is one of those that are known, whatever is asked for", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webPath(), fc.webUrl()), (address) => {
        expect(ROUTE_LABELS).toContain(routeLabel(address));
        expect(ROUTE_LABELS).toContain(routeLabel(`/${address}`));
      }),
    );
  });

  it("has a name for every address that there is", () => {
    for (const label of ROUTE_LABELS) {
      expect(routeLabel(label.replace(/:\w+\??/g, "x").replace("*", "x/y"))).toBe(
        label === "/*" ? "/*" : label,
      );
    }
  });
});

it("the library of the metrics is loaded when they are asked for, and by nothing else", () => {
  const sources = fs
    .readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => fs.readFileSync(`app/${file}`, "utf8"));
  const loads = sources.flatMap((source) => source.match(/.*"prom-client".*/g) ?? []);
  const values = loads.map((line) => line.trim()).filter((line) => !/^import type /.test(line));
  expect(values).toEqual(['const prometheus = await import("prom-client");']);
});
