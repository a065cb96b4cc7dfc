import fs from "node:fs";

/** A package of the lock file. */
export interface LockedPackage {
  /** Where it is installed, such as `node_modules/a/node_modules/b`. */
  where: string;
  name: string;
  version: string;
  /** An SPDX expression. */
  license: string;
  /** `sha512-` and base64. */
  integrity: string | undefined;
  isDevelopment: boolean;
  isOptional: boolean;
  hasInstallScript: boolean;
  /** Names of the packages it uses. */
  uses: string[];
}

/** What the lock file leaves out, since the registry's entry of these packages has no such field. */
const KNOWN_LICENSES: [name: RegExp, license: string][] = [
  [/^@biomejs\/cli-/, "MIT OR Apache-2.0"],
  [/^@rollup\/rollup-/, "MIT"],
  [/^@tailwindcss\/oxide-/, "MIT"],
  // Their README or LICENSE file says it.
  [/^(combine-errors|dom-walk|eval|format|require-like)$/, "MIT"],
];

/**
 * Every package of a lock file, in the order of their folders, those for other systems included.
 *
 * @param file of npm, version 3.
 */
export function lockedPackages(file = "package-lock.json"): LockedPackage[] {
  const { packages } = JSON.parse(fs.readFileSync(file, "utf8")) as {
    packages: Record<string, Record<string, unknown>>;
  };
  return Object.entries(packages)
    .filter(([where]) => where !== "")
    .map(([where, entry]) => {
      const name = (entry.name as string) ?? where.replace(/^.*node_modules\//, "");
      const known = KNOWN_LICENSES.find(([pattern]) => pattern.test(name))?.[1];
      return {
        where,
        name,
        version: entry.version as string,
        license: (entry.license as string | undefined) ?? known ?? "unknown",
        integrity: entry.integrity as string | undefined,
        isDevelopment: entry.dev === true,
        isOptional: entry.optional === true || entry.devOptional === true,
        hasInstallScript: entry.hasInstallScript === true,
        uses: Object.keys({
          ...(entry.dependencies as object),
          ...(entry.optionalDependencies as object),
        }).sort(),
      };
    })
    .sort((a, b) => (a.where < b.where ? -1 : 1));
}
