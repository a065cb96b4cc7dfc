import { sqliteHandle } from "~db/client.server";
import { JOB_KINDS } from "~db/schema";
import { PRIORITIES, PRIORITY_BAND } from "./kinds";

/** `again` reruns failed and finished jobs; `now` moves jobs to the front of the queue, `later` to the back. */
export const JOB_CHANGES = ["again", "now", "later"] as const;
export type JobChange = (typeof JOB_CHANGES)[number];

/** By the end of this delay, a remote worker that was running the job has learned that it has lost the lease. */
const RELEASE_DELAY_MS = 30_000;

/**
 * Returns the priority band for jobs that are moved: one band beyond all unfinished jobs. Rerun jobs stay in band 0.
 */
function bandFor(change: JobChange): number {
  if (change === "again") return 0;
  const aggregate = change === "now" ? "min" : "max";
  const priority = sqliteHandle()
    .prepare<unknown[], number | null>(
      `SELECT ${aggregate}(priority) FROM jobs INDEXED BY jobs_unfinished
       WHERE state IN ('waiting', 'running')`,
    )
    .pluck()
    .get()!;
  const band = Math.floor((priority ?? 0) / PRIORITY_BAND);
  return change === "now" ? Math.min(0, band) - 1 : Math.max(0, band) + 1;
}

const PRIORITY_OF_KIND = `CASE kind ${JOB_KINDS.map((kind) => `WHEN '${kind}' THEN ${PRIORITIES[kind]}`).join(" ")} END`;

// The unary "+" keeps SQLite from using the index on `state`, so that SQLite looks up only the listed jobs.
/**
 * Cleanup jobs can only be retried, since they wait until viewers have stopped watching the files that will be removed.
 */
const CHANGES: Record<JobChange, string> = {
  again: `state = 'waiting', attempts = 0, reason = NULL, progress = 0, finished_at = NULL,
      run_after = @now, priority = CASE state WHEN 'failed' THEN priority ELSE ${PRIORITY_OF_KIND} END
    WHERE (+state = 'failed' OR (+state = 'done' AND kind <> 'cleanup'))`,
  now: `attempts = CASE state WHEN 'failed' THEN 0 ELSE attempts END, reason = NULL, progress = 0,
      state = 'waiting', finished_at = NULL, run_after = @now,
      priority = ${PRIORITY_OF_KIND} + @band * ${PRIORITY_BAND}
    WHERE +state IN ('waiting', 'failed') AND kind <> 'cleanup'`,
  later: `run_after = CASE state WHEN 'running' THEN @releaseAt ELSE run_after END,
      attempts = CASE state WHEN 'running' THEN max(attempts - 1, 0) ELSE attempts END,
      state = 'waiting', worker = NULL, lease_until = NULL, progress = 0, speed = NULL, seconds_left = NULL,
      priority = ${PRIORITY_OF_KIND} + @band * ${PRIORITY_BAND}
    WHERE +state IN ('waiting', 'running') AND kind <> 'cleanup'`,
};

/** The jobs to change, specified either by job id or as all jobs of some videos. */
export type ChosenJobs = { jobs: readonly number[] } | { videos: readonly string[] };

/**
 * Returns a function that changes jobs. Call it inside a transaction, and `jobsChanged("work")` after the commit. All
 * jobs moved by the same function get the same priority band. A running job that is moved to the back is stopped: its
 * worker is notified at the next heartbeat, and the job starts over later.
 */
export function createJobChanger(change: JobChange, now = Date.now()) {
  const sqlite = sqliteHandle();
  const band = bandFor(change);
  const update = (condition: string) =>
    sqlite.prepare<unknown[], { id: number; video_id: string }>(
      `UPDATE jobs SET ${CHANGES[change]} AND ${condition} RETURNING id,
         coalesce((SELECT video_id FROM video_files WHERE id = jobs.video_id), video_id) AS video_id`,
    );
  const chosen = "(SELECT value FROM json_each(@chosen))";
  // If a job is moved to the front, the transcode that it depends on is moved as well.
  const byNumber = update(
    change === "now"
      ? `(id IN ${chosen} OR (kind = 'transcode' AND video_id IN
           (SELECT video_id FROM jobs WHERE id IN ${chosen})))`
      : `id IN ${chosen}`,
  );
  // Moving a video's jobs includes the jobs for its pending file. Rerunning a video's jobs only includes those for the
  // current file.
  const byVideo = update(
    change === "again"
      ? `video_id IN ${chosen}`
      : `(video_id IN ${chosen} OR video_id IN
           (SELECT id FROM video_files WHERE state = 'pending' AND video_id IN ${chosen}))`,
  );
  return (selection: ChosenJobs): { id: number; video_id: string }[] => {
    const values = {
      now: new Date(now).toISOString(),
      releaseAt: new Date(now + RELEASE_DELAY_MS).toISOString(),
      band,
    };
    return "jobs" in selection
      ? byNumber.all({ ...values, chosen: JSON.stringify(selection.jobs) })
      : byVideo.all({ ...values, chosen: JSON.stringify(selection.videos) });
  };
}
