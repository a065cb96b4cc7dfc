import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, it } from "vitest";

// Node 24.19 and newer end the process when such a hook is removed by the garbage collector;
// scripts/native/object-wrap.h keeps it out of what is compiled.
it("SQLite was compiled without the cleanup hooks of Node's ObjectWrap", () => {
  const folder = path.dirname(
    createRequire(import.meta.url).resolve("better-sqlite3/package.json"),
  );
  const binary = fs.readFileSync(path.join(folder, "build/Release/better_sqlite3.node"));
  expect(binary.includes("AddEnvironmentCleanupHook")).toBe(true);
  expect(binary.includes("RemoveEnvironmentCleanupHook")).toBe(false);
});
