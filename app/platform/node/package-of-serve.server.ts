import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const requireOfServe = createRequire(require.resolve("@remix-run/serve/package.json"));

/** Returns a package as remix-serve itself has loaded it, so that it can be changed. */
export function packageOfServe<Package>(name: string): Package {
  return requireOfServe(name) as Package;
}
