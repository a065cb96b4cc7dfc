import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The journeys run against the built site, as `npm start` serves it. */
export default function buildSite(): void {
  const start = fileURLToPath(new URL("../scripts/start.mjs", import.meta.url));
  execFileSync(process.execPath, [start, "--prepare"], { stdio: "inherit" });
}
