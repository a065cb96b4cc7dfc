import { spawn } from "node:child_process";
import { once } from "node:events";
import type { SiteProcess } from "../site-process";

/** Works on the whole queue beside the site, as `npm run jobs` does. */
export async function runJobs(site: SiteProcess): Promise<string> {
  const jobs = spawn("node_modules/.bin/tsx", ["scripts/jobs.ts", "--all", "--once"], {
    env: {
      ...process.env,
      DATABASE_PATH: site.databasePath,
      UPLOADS_DIR: site.uploads,
      ENCODER_PRESET: "superfast",
    },
  });
  let said = "";
  jobs.stdout.on("data", (chunk) => {
    said += chunk;
  });
  jobs.stderr.on("data", (chunk) => {
    said += chunk;
  });
  await once(jobs, "exit");
  return said;
}
