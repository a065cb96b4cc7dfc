import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const server = fileURLToPath(new URL("../../../build/server", import.meta.url));

/** Returns the built site's modules that are loaded at startup, with their source. */
function loadedAtStart(file = path.join(server, "index.js"), found = new Map<string, string>()) {
  if (found.has(file)) return found;
  const source = fs.readFileSync(file, "utf8");
  found.set(file, source);
  for (const [, name] of source.matchAll(/^(?:import|export)\b[^;]*?"(\.{1,2}\/[^"]+)";$/gm)) {
    loadedAtStart(path.resolve(path.dirname(file), name!), found);
  }
  return found;
}

/** Returns the packages that modules import statically. */
function packagesOf(sources: Iterable<string>): Set<string> {
  const names = new Set<string>();
  for (const source of sources) {
    for (const [, name] of source.matchAll(/^import\b[^;]*?"([^."][^"]*)";$/gm)) names.add(name!);
  }
  return names;
}

it("a site without a store doesn't load any store code at startup", () => {
  const packages = packagesOf(loadedAtStart().values());
  expect(packages).toContain("better-sqlite3");
  expect(packages).not.toContain("@aws-sdk/client-s3");
  const all = fs
    .readdirSync(server, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .map((name) => fs.readFileSync(path.join(server, name), "utf8"));
  expect(packagesOf(all)).toContain("@aws-sdk/client-s3");
});
