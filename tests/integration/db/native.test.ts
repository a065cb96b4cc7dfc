import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, it } from "vitest";

// Node 24.19 and later abort the process when the garbage collector removes a cleanup hook.
// scripts/native/object-wrap.h keeps the hooks out of the build.
it("compiles SQLite without the cleanup hooks from Node's ObjectWrap", () => {
  const folder = path.dirname(
    createRequire(import.meta.url).resolve("better-sqlite3/package.json"),
  );
  const binary = fs.readFileSync(path.join(folder, "build/Release/better_sqlite3.node"));
  expect(binary.includes("AddEnvironmentCleanupHook")).toBe(true);
  expect(binary.includes("RemoveEnvironmentCleanupHook")).toBe(false);
});
