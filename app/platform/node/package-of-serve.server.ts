import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const requireOfServe = createRequire(require.resolve("@remix-run/serve/package.json"));

/** Returns the instance of a package that remix-serve has loaded, so that it can be patched. */
export function packageOfServe<Package>(name: string): Package {
  return requireOfServe(name) as Package;
}
