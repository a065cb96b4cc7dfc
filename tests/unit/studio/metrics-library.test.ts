import fs from "node:fs";
import { expect, it } from "vitest";

it("loads the metrics library only when metrics are requested", () => {
  const sources = fs
    .readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => fs.readFileSync(`app/${file}`, "utf8"));
  const loads = sources.flatMap((source) => source.match(/.*"prom-client".*/g) ?? []);
  const values = loads.map((line) => line.trim()).filter((line) => !/^import type /.test(line));
  expect(values).toEqual(['const prometheus = await import("prom-client");']);
});
