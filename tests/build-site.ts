import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the site as `npm start` serves it; the end-to-end tests run against it. */
export default function buildSite(): void {
  const start = fileURLToPath(new URL("../scripts/start.mjs", import.meta.url));
  execFileSync(process.execPath, [start, "--prepare"], { stdio: "inherit" });
}
