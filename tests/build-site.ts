import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the site that `npm start` serves. The end-to-end tests run against this build. */
export default function buildSite(): void {
  const start = fileURLToPath(new URL("../scripts/start.mjs", import.meta.url));
  execFileSync(process.execPath, [start, "--prepare"], { stdio: "inherit" });
}
