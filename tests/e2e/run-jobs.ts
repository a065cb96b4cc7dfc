import { spawn } from "node:child_process";
import { once } from "node:events";
import { JOB_KINDS, type JobKind } from "~db/schema";
import { command } from "../command";
import type { SiteProcess } from "../site-process";

/**
 * Processes the whole queue in a separate process, like `npm run jobs`.
 *
 * @param kinds the kinds of jobs to process. All others are marked as done.
 */
export async function runJobs(
  site: SiteProcess,
  kinds: readonly JobKind[] = JOB_KINDS,
  settings: Record<string, string> = {},
): Promise<string> {
  const done = site.database().prepare(
    `INSERT INTO jobs (video_id, kind, priority, state) SELECT id, ?, 0, 'done' FROM videos WHERE true
       ON CONFLICT (video_id, kind) DO UPDATE SET state = 'done'`,
  );
  for (const kind of JOB_KINDS) if (!kinds.includes(kind)) done.run(kind);
  const jobs = spawn(process.execPath, command("jobs", "--all", "--once"), {
    env: {
      ...process.env,
      DATABASE_PATH: site.databasePath,
      UPLOADS_DIR: site.uploads,
      ENCODER_PRESET: "ultrafast",
      ...settings,
    },
  });
  let output = "";
  jobs.stdout.on("data", (chunk) => {
    output += chunk;
  });
  jobs.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(jobs, "exit");
  if (code !== 0) throw new Error(`npm run jobs exited with code ${code}: ${output}`);
  // If creating the playable copy failed, the video's other jobs wait forever. Cleanup jobs wait for hours.
  const unfinished = site.database().prepare(/* sql */ `
    SELECT 1 FROM jobs AS job WHERE state IN ('waiting', 'running') AND kind <> 'cleanup'
      AND NOT EXISTS (SELECT 1 FROM jobs
        WHERE video_id = job.video_id AND kind = 'transcode' AND state = 'failed')`);
  if (unfinished.get()) throw new Error(`Some jobs are unfinished: ${output}`);
  return output;
}
