import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { brokenRules, type Module } from "../structure-rules";

const root = fileURLToPath(new URL("../..", import.meta.url));

function modulesBelow(folder: string): Module[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({
      file: path.posix.join(folder, name.split(path.sep).join("/")),
      source: fs.readFileSync(path.join(root, folder, name), "utf8"),
    }));
}

describe("who may use whom", () => {
  it("holds in the whole tree", () => {
    const modules = [...modulesBelow("app"), ...modulesBelow("db")];
    expect(modules.length).toBeGreaterThan(15);
    expect(brokenRules(modules)).toEqual([]);
  });

  it.each([
    ["app/catalogue/x.ts", 'import { loader } from "~/routes/home";', "nothing uses routes"],
    ["app/catalogue/x.ts", 'import { publish } from "../studio/publish.server";', "does not use"],
    ["app/ui/x.tsx", 'import { settings } from "~/server/settings.server";', "no server code"],
    ["app/player/x.tsx", 'import fs from "node:fs";', "no server code"],
    ["app/player/x.tsx", 'const x = import("~/media/range.server");', "no server code"],
    ["app/routes/x.ts", 'import { database } from "~db/client.server";', "SQL stands only in"],
    ["app/live/x.ts", 'import { sql } from "kysely";', "SQL stands only in"],
    ["app/studio/x.ts", 'import { importVideos } from "~/import/import.server";', "does not use"],
    [
      "app/import/x.ts",
      'import { publish } from "~/studio/upload/publish.server";',
      "does not use",
    ],
    ["app/media/x.ts", 'export { x } from "~/studio/edit/edit.server";', "does not use"],
  ])("is seen to be broken by %s: %s", (file, source, rule) => {
    expect(brokenRules([{ file, source }]).join("\n")).toContain(rule);
  });

  it.each([
    ["app/routes/x.ts", 'import { listPublished } from "~/catalogue/lists/listing.server";'],
    ["app/ui/x.tsx", 'import { formatCount } from "~/shared/format";'],
    ["app/ui/x.tsx", 'import type { SessionUser } from "~/account/guard.server";'],
    ["app/studio/x.ts", 'import { removeMedia } from "../media/bucket.server";'],
    ["app/import/x.ts", 'import { database } from "~db/client.server";'],
    ["app/boot.server.ts", 'import { database } from "~db/client.server";'],
  ])("allows %s: %s", (file, source) => {
    expect(brokenRules([{ file, source }])).toEqual([]);
  });
});

describe("the files", () => {
  const modules = [...modulesBelow("app"), ...modulesBelow("db")];

  it("are named in kebab-case", () => {
    const odd = modules.filter(
      ({ file }) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(path.basename(file)),
    );
    expect(odd.map(({ file }) => file)).toEqual([]);
  });

  it("read the environment in one place", () => {
    const readers = modules.filter(({ source }) => source.includes("process.env"));
    expect(readers.map(({ file }) => file)).toEqual(["app/server/settings.server.ts"]);
  });

  it("name colours only among the tokens", () => {
    const literal = /#[0-9a-f]{3,8}\b(?=["'`;\s)])|\b(rgb|hsl|oklch)a?\(/i;
    const named = modules.filter(
      ({ file, source }) => file.endsWith(".tsx") && literal.test(source),
    );
    expect(named.map(({ file }) => file)).toEqual([]);
  });
});
