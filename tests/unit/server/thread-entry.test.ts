import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const ROOTS: Record<string, string> = { "~/": "app/", "~db/": "db/" };

/** Returns the file that an import refers to, or undefined for a package or a file that isn't code. */
function importedFile(from: string, name: string): string | undefined {
  const root = Object.keys(ROOTS).find((prefix) => name.startsWith(prefix));
  if (!root && !name.startsWith(".")) return undefined;
  const base = root ? ROOTS[root] + name.slice(root.length) : path.join(path.dirname(from), name);
  return [`${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((file) => fs.existsSync(file));
}

function importsOf(file: string): string[] {
  const source = fs.readFileSync(file, "utf8");
  const names = source.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gms);
  return [...names].flatMap(([, name = ""]) => importedFile(file, name) ?? name);
}

it("keeps Remix and the code that calls the threads out of the thread bundle", () => {
  const loaded = new Set(["app/entry.threads.server.ts"]);
  for (const file of loaded) {
    if (fs.existsSync(file)) for (const each of importsOf(file)) loaded.add(each);
  }
  expect(loaded).toContain("app/features/processing/screens/queue-page.server.ts");
  for (const name of ["db/threads/query-thread.server.ts", "db/client.server.ts"]) {
    expect(loaded).not.toContain(name);
  }
  expect([...loaded].filter((name) => name.startsWith("@remix-run/"))).toEqual([]);
});
