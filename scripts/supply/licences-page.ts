import { type LockedPackage, lockedPackages } from "./packages";

/** Licences that a package may have which the site is served with. */
const FOR_SERVING = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  // libvips, which sharp loads as a library of its own that anybody may exchange.
  "LGPL-3.0-or-later",
  "MIT",
  "MIT-0",
  "Unlicense",
  "Zlib",
];
/** Besides, of what only builds and tests it; OFL is the typeface, which pages are sent with. */
const FOR_BUILDING = ["CC-BY-3.0", "CC-BY-4.0", "MPL-2.0", "OFL-1.1", "Python-2.0"];

/** Whether an SPDX expression allows use under licences of a list: one side of an OR, both of an AND. */
export function isAllowed(expression: string, list: readonly string[]): boolean {
  const flat = expression.replace(/^\((.*)\)$/, "$1");
  if (/[()]/.test(flat)) return false;
  return flat
    .split(" OR ")
    .some((side) => side.split(" AND ").every((license) => list.includes(license.trim())));
}

/** Packages whose licence is on neither list. */
export function refusedPackages(packages: readonly LockedPackage[]): string[] {
  return packages
    .filter(({ license, isDevelopment }) => {
      const list = isDevelopment ? [...FOR_SERVING, ...FOR_BUILDING] : FOR_SERVING;
      return !isAllowed(license, list);
    })
    .map(({ name, version, license }) => `${name} ${version}: ${license}`);
}

/** `docs/licences.md`. */
export function licencesPage(packages = lockedPackages()): string {
  const serving = packages.filter(({ isDevelopment }) => !isDevelopment);
  const building = packages.filter(({ isDevelopment }) => isDevelopment);
  return [
    "# Licences",
    "",
    "The licences of all packages of the lock file, those for other systems included, made by `npm run licences`.",
    "Afterdark itself is under the MIT licence. ffmpeg is a program beside it, under the licence of its build.",
    "",
    "## What the site is served with",
    "",
    ...table(serving),
    "",
    "## What builds and tests it",
    "",
    ...table(building),
    "",
  ].join("\n");
}

function table(packages: readonly LockedPackage[]): string[] {
  return [...byLicense(packages)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([license, list]) => {
      const names = [...new Set(list.map(({ name, version }) => `${name} ${version}`))].sort();
      return [`### ${license} (${names.length})`, "", `${names.join(", ")}.`, ""];
    })
    .slice(0, -1);
}

function byLicense(packages: readonly LockedPackage[]): Map<string, LockedPackage[]> {
  const found = new Map<string, LockedPackage[]>();
  for (const one of packages) found.set(one.license, [...(found.get(one.license) ?? []), one]);
  return found;
}
