import { sqliteHandle } from "~db/client.server";
import { JOB_KINDS } from "~db/schema";
import { PRIORITIES, TURN } from "./kinds";

/** again: what failed or is done is made anew. now: before all the rest. later: behind it. */
export const JOB_CHANGES = ["again", "now", "later"] as const;
export type JobChange = (typeof JOB_CHANGES)[number];

/** A worker elsewhere that had the job has heard by then that it is no longer its own. */
const LET_GO_MS = 30_000;

/** Where what is put first or last goes: one turn beyond everything that is unfinished. */
function turnFor(change: JobChange): number {
  if (change === "again") return 0;
  const most = change === "now" ? "min" : "max";
  const priority = sqliteHandle()
    .prepare<unknown[], number | null>(
      `SELECT ${most}(priority) FROM jobs INDEXED BY jobs_unfinished
       WHERE state IN ('waiting', 'running')`,
    )
    .pluck()
    .get()!;
  const turn = Math.floor((priority ?? 0) / TURN);
  return change === "now" ? Math.min(0, turn) - 1 : Math.max(0, turn) + 1;
}

const PRIORITY_OF_KIND = `CASE kind ${JOB_KINDS.map((kind) => `WHEN '${kind}' THEN ${PRIORITIES[kind]}`).join(" ")} END`;

// By its state alone SQLite would look for the jobs: "+" keeps it to those that are named.
/** A clean-up waits for those who may be watching what it removes: it is only tried again. */
const CHANGES: Record<JobChange, string> = {
  again: `state = 'waiting', attempts = 0, reason = NULL, progress = 0, finished_at = NULL,
      run_after = @now, priority = CASE state WHEN 'failed' THEN priority ELSE ${PRIORITY_OF_KIND} END
    WHERE (+state = 'failed' OR (+state = 'done' AND kind <> 'cleanup'))`,
  now: `attempts = CASE state WHEN 'failed' THEN 0 ELSE attempts END, reason = NULL, progress = 0,
      state = 'waiting', finished_at = NULL, run_after = @now,
      priority = ${PRIORITY_OF_KIND} + @turn * ${TURN}
    WHERE +state IN ('waiting', 'failed') AND kind <> 'cleanup'`,
  later: `run_after = CASE state WHEN 'running' THEN @letGo ELSE run_after END,
      attempts = CASE state WHEN 'running' THEN max(attempts - 1, 0) ELSE attempts END,
      state = 'waiting', worker = NULL, lease_until = NULL, progress = 0, speed = NULL, seconds_left = NULL,
      priority = ${PRIORITY_OF_KIND} + @turn * ${TURN}
    WHERE +state IN ('waiting', 'running') AND kind <> 'cleanup'`,
};

/** Which jobs: those of these numbers, or all of these videos. */
export type ChosenJobs = { jobs: readonly number[] } | { videos: readonly string[] };

/**
 * Makes what changes jobs inside of a transaction; `jobsChanged("work")` is due once it is committed.
 * All that one such function puts first or last goes into the same turn. A job that runs and is put
 * last is stopped: its worker hears of it with the next sign of life, and it begins anew when its turn
 * comes.
 */
export function jobChanger(change: JobChange, now = Date.now()) {
  const sqlite = sqliteHandle();
  const turn = turnFor(change);
  const update = (condition: string) =>
    sqlite.prepare<unknown[], { id: number; video_id: string }>(
      `UPDATE jobs SET ${CHANGES[change]} AND ${condition} RETURNING id,
         coalesce((SELECT video_id FROM video_files WHERE id = jobs.video_id), video_id) AS video_id`,
    );
  const chosen = "(SELECT value FROM json_each(@chosen))";
  // What is put first takes along what it waits for.
  const byNumber = update(
    change === "now"
      ? `(id IN ${chosen} OR (kind = 'transcode' AND video_id IN
           (SELECT video_id FROM jobs WHERE id IN ${chosen})))`
      : `id IN ${chosen}`,
  );
  // What is on its way to become its file goes with a video; only what it plays is made again.
  const byVideo = update(
    change === "again"
      ? `video_id IN ${chosen}`
      : `(video_id IN ${chosen} OR video_id IN
           (SELECT id FROM video_files WHERE state = 'pending' AND video_id IN ${chosen}))`,
  );
  return (asked: ChosenJobs): { id: number; video_id: string }[] => {
    const values = {
      now: new Date(now).toISOString(),
      letGo: new Date(now + LET_GO_MS).toISOString(),
      turn,
    };
    return "jobs" in asked
      ? byNumber.all({ ...values, chosen: JSON.stringify(asked.jobs) })
      : byVideo.all({ ...values, chosen: JSON.stringify(asked.videos) });
  };
}
