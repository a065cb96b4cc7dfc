import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import site from "../../package.json";

interface LockedPackage {
  version: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");

describe("the packages in the lock file", () => {
  const lockFile = read("package-lock.json");
  const { "": _, ...locked } = JSON.parse(lockFile).packages as Record<string, LockedPackage>;
  const packages = Object.entries(locked).map(([folder, entry]) => ({
    name: folder.replace(/^.*node_modules\//, ""),
    ...entry,
  }));

  it("are in the list of licenses", () => {
    const list = read("docs/licenses.csv");
    // Optional packages may be for another platform, so they are skipped.
    const missing = packages.filter(
      ({ name, version, optional }) => !optional && !list.includes(`"${name}@${version}"`),
    );
    expect(missing, "run npm run licenses").toEqual([]);
  });

  it("don't run install scripts, except for two known packages", () => {
    const names = packages.filter((one) => one.hasInstallScript).map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual(["better-sqlite3", "esbuild"]);
    expect(Object.keys(site.allowScripts).sort()).toEqual(["better-sqlite3", "esbuild"]);
  });

  it("are identified by hash rather than by URL", () => {
    expect(lockFile).not.toContain('"resolved"');
    const withoutHash = packages.filter(({ integrity }) => !integrity?.startsWith("sha512-"));
    // The lock file has no hashes for tools for other platforms. The site doesn't use these tools in production.
    expect(withoutHash.filter((one) => !one.dev).map(({ name }) => name)).toEqual([]);
  });
});
