import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const requireOfServe = createRequire(require.resolve("@remix-run/serve/package.json"));

/** A package as remix-serve itself has loaded it, to change what it uses. */
export function packageOfServe<Package>(name: string): Package {
  return requireOfServe(name) as Package;
}
