import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the site as served by `npm start`, which the end-to-end tests run against. */
export default function buildSite(): void {
  const start = fileURLToPath(new URL("../scripts/start.mjs", import.meta.url));
  execFileSync(process.execPath, [start, "--prepare"], { stdio: "inherit" });
}
