import os from "node:os";
import { sql, type UpdateObject } from "kysely";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { settings } from "~/platform/settings.server";
import {
  database,
  prepared,
  sqliteHandle,
  transaction,
  tryWriteTransaction,
} from "~db/client.server";
import { processState } from "~db/runtime.server";
import type { JobKind, JobRow, Schema } from "~db/schema";
import { DatabaseBusyError, retryWhileBusy } from "~db/write-lock";
import {
  IS_REMOTE,
  type LostLease,
  leaseDurationMs,
  MAX_LOSSES,
  REMOTE_PREFIX,
  receivedFolder,
  returnLostLeases,
  shortenLeases,
} from "../workers/leases.server";
import { SOURCE_KEPT_MS } from "./kinds";
import { jobsChanged, pausedSince } from "./queue-state.server";

/** A job becomes available to other workers if its worker hasn't sent a heartbeat for this long. */
export const LEASE_MS = 30_000;
/** After this many failures, a job fails permanently. */
const MAX_ATTEMPTS = 3;
/**
 * If the site has stopped this many times while a job was running, the job fails permanently, because it may be the
 * cause.
 */
const MAX_KILLS = 5;
const RETRY_DELAY_MS = 30_000;
/** The longest delay for any job except cleanup, including retries (see `fail`) and waiting for disk space. */
const MAX_DELAY_MS = RETRY_DELAY_MS * 4 ** (MAX_ATTEMPTS - 1);

/** Returns a name for this process that is unique among the processes that use the same database. */
export const ownWorker = processState(
  "worker name",
  () => `${os.hostname()}/${process.pid}/${Date.now()}`,
);
/** The claimant of a job (this process by default), and the kinds of jobs to claim (all by default). */
export interface Claimant {
  worker?: string;
  kinds?: readonly JobKind[] | undefined;
}

const iso = (time: number) => new Date(time).toISOString();

/**
 * Claims the next job in one statement, so that two workers never get the same job. Jobs are claimed by priority, then
 * by age. A video's scan runs before all of its other jobs, its transcode before the rest, and its cleanup last. Claims
 * nothing while the queue is paused.
 *
 * The same transaction requeues the jobs of remote workers whose leases have expired.
 *
 * @param maxPriority only jobs with a priority value up to this one are claimed.
 * @throws {DatabaseBusyError} if another process holds the lock for 2 seconds.
 */
export async function claim(
  maxPriority = Number.MAX_SAFE_INTEGER,
  now?: number,
  claimant: Claimant = {},
): Promise<JobRow | undefined> {
  let lost: LostLease[] = [];
  let job: JobRow | undefined;
  await retryWhileBusy(() => {
    const time = now ?? Date.now();
    const written = tryWriteTransaction(() => {
      shortenLeases(time, LEASE_MS);
      failCrashingJobs(time);
      lost = returnLostLeases(iso(time));
      job = pausedSince() ? undefined : claimNext(maxPriority, time, claimant);
    });
    if (!written) throw new DatabaseBusyError(undefined);
  });
  await removeTemporary(...lost.map(receivedFolder));
  return job;
}

function claimNext(
  maxPriority: number,
  now: number,
  { worker = ownWorker(), kinds }: Claimant,
): JobRow | undefined {
  return sqliteHandle()
    .prepare<unknown[], JobRow>(
      /* sql */ `
      UPDATE jobs SET
        state = 'running', worker = @worker, lease_until = @lease, started_at = @now,
        attempts = attempts + 1, progress = 0, speed = NULL, seconds_left = NULL
      WHERE id = (
        -- Without the hint SQLite reads and sorts all queued jobs: 0.4 s with 400,000 jobs, with the index 0.1 ms.
        SELECT id FROM jobs AS job INDEXED BY jobs_unfinished
        WHERE state IN ('waiting', 'running')
          -- A run_after beyond the longest delay was written before the clock was set back.
          AND ((state = 'waiting' AND (run_after <= @now
              OR run_after > CASE kind WHEN 'cleanup' THEN @cleanupLatest ELSE @latest END))
            OR (state = 'running' AND lease_until < @now))
          AND priority <= @maxPriority
          AND (@kinds IS NULL OR kind IN (SELECT value FROM json_each(@kinds)))
          AND (kind IN ('scan', 'transcode') OR NOT EXISTS (
            SELECT 1 FROM jobs WHERE video_id = job.video_id
              AND kind = 'transcode' AND state <> 'done'))
          -- A file is neither processed nor modified before it has been scanned.
          AND (kind <> 'scan' OR @scans)
          AND (kind = 'scan' OR NOT @scans OR NOT EXISTS (
            SELECT 1 FROM jobs WHERE video_id = job.video_id
              AND kind = 'scan' AND state IN ('waiting', 'running')))
          -- These need the playable file, which the stream of a new video is converted into first.
          AND (kind NOT IN ('storyboard', 'preview') OR NOT EXISTS (
            SELECT 1 FROM jobs WHERE video_id = job.video_id
              AND kind = 'ladder' AND state IN ('waiting', 'running')
              AND EXISTS (SELECT 1 FROM videos WHERE id = job.video_id AND video_url = '')))
          -- Additional codecs are added to a complete stream.
          AND (kind <> 'codecs' OR NOT EXISTS (
            SELECT 1 FROM jobs WHERE video_id = job.video_id
              AND kind = 'ladder' AND state IN ('waiting', 'running')))
          AND (kind <> 'cleanup' OR NOT EXISTS (
            SELECT 1 FROM jobs WHERE video_id = job.video_id AND id <> job.id AND state <> 'done'))
        ORDER BY priority, created_at, id LIMIT 1)
      RETURNING *`,
    )
    .get({
      worker,
      kinds: kinds ? JSON.stringify(kinds) : null,
      scans: Number(settings().scanCommand !== undefined),
      lease: iso(now + leaseDurationMs(worker, LEASE_MS)),
      now: iso(now),
      latest: iso(now + MAX_DELAY_MS),
      cleanupLatest: iso(now + SOURCE_KEPT_MS),
      maxPriority,
    });
}

function failCrashingJobs(now: number): void {
  const sqlite = sqliteHandle();
  const killed = `state = 'running' AND lease_until < @now AND
    CASE WHEN ${IS_REMOTE} THEN worker_losses >= ${MAX_LOSSES - 1} ELSE attempts >= ${MAX_KILLS} END`;
  if (!sqlite.prepare(`SELECT 1 FROM jobs WHERE ${killed}`).get({ now: iso(now) })) return;
  sqlite
    .prepare(
      `UPDATE jobs SET state = 'failed', worker = NULL, lease_until = NULL, worker_losses = 0,
         finished_at = @now, reason = CASE WHEN ${IS_REMOTE}
           THEN '${MAX_LOSSES} workers were lost while running this job.'
           ELSE 'The site stopped unexpectedly ${MAX_KILLS} times while running this job.' END
       WHERE ${killed}`,
    )
    .run({ now: iso(now) });
  sqlite
    .prepare(`${WITHDRAW_INCOMPLETE_STREAMS} AND id IN (
      SELECT video_id FROM jobs WHERE kind = 'ladder' AND state = 'failed')`)
    .run();
}

/** Withdraws the incomplete streams of videos that have no file, once their encoding has failed permanently. */
const WITHDRAW_INCOMPLETE_STREAMS =
  "UPDATE videos SET hls_url = NULL WHERE video_url = '' AND hls_url <> ''";

/**
 * Extends the lease of a job and records its progress. The update is skipped while another process is writing, which is
 * safe: the lease is three times as long as the interval between heartbeats.
 *
 * @returns false if the lease has been lost.
 */
export function heartbeat(
  { id, worker }: Pick<JobRow, "id" | "worker">,
  { progress, speed, secondsLeft }: { progress: number; speed?: number; secondsLeft?: number },
): boolean {
  let changes = 0;
  const written = tryWriteTransaction(() => {
    ({ changes } = sqliteHandle()
      .prepare(
        `UPDATE jobs SET lease_until = ?, progress = ?, speed = ?, seconds_left = ?
         WHERE id = ? AND worker = ? AND state = 'running'`,
      )
      .run(
        ...[iso(Date.now() + leaseDurationMs(worker, LEASE_MS)), progress],
        ...[speed ?? null, secondsLeft ?? null, id, worker],
      ));
  });
  if (changes > 0) jobsChanged("progress");
  return changes > 0 || !written;
}

/**
 * Returns whether the claimant still has the job. The job's video may have been deleted, or the job's lease may have
 * been lost.
 */
export function hasLease({ id, worker }: Pick<JobRow, "id" | "worker">): boolean {
  return (
    sqliteHandle()
      .prepare("SELECT 1 FROM jobs WHERE id = ? AND worker = ? AND state = 'running'")
      .get(id, worker) !== undefined
  );
}

const CLEARED_LEASE = { worker: null, lease_until: null, speed: null, seconds_left: null } as const;

/** Marks a job as done. Call this function in the transaction that writes the result. */
export function markDone(id: number, note: string | null = null): void {
  sqliteHandle()
    .prepare(
      `UPDATE jobs SET state = 'done', worker = NULL, lease_until = NULL, speed = NULL,
         seconds_left = NULL, worker_losses = 0, progress = 1, reason = ?, finished_at = ? WHERE id = ?`,
    )
    .run(note, iso(Date.now()), id);
}

/**
 * Records a failure. The job is retried after 30 s, then after 2 minutes, and then fails permanently.
 *
 * @param final whether to fail the job permanently right away, because retrying wouldn't help.
 */
export async function fail(job: JobRow, reason: string, final = false): Promise<void> {
  const isFinal = final || job.attempts >= MAX_ATTEMPTS;
  await updateClaimed(job, {
    ...CLEARED_LEASE,
    state: isFinal ? "failed" : "waiting",
    reason,
    run_after: iso(Date.now() + RETRY_DELAY_MS * 4 ** (job.attempts - 1)),
    finished_at: isFinal ? iso(Date.now()) : null,
  });
  if (isFinal && job.kind === "ladder") {
    const withdraw = () =>
      transaction(() => {
        sqliteHandle().prepare(`${WITHDRAW_INCOMPLETE_STREAMS} AND id = ?`).run(job.video_id);
      });
    await retryWhileBusy(withdraw, RESULT_WAIT_MS);
  }
  jobsChanged("work");
}

/**
 * Returns a job to the queue without counting the attempt, for example at SIGTERM or when the disk is full.
 *
 * @param afterMs the delay, at most eight minutes.
 * @param reason what the job is waiting for, as a message for the studio.
 */
export async function returnToQueue(
  job: JobRow,
  afterMs = 0,
  reason: string | null = job.reason,
  priority = job.priority,
): Promise<void> {
  await updateClaimed(job, {
    priority,
    ...CLEARED_LEASE,
    state: "waiting",
    progress: 0,
    attempts: sql<number>`attempts - 1`,
    reason,
    run_after: iso(Date.now() + Math.min(afterMs, MAX_DELAY_MS)),
  });
  jobsChanged("work");
}

/**
 * How long to wait for the write lock. The result of several minutes of encoding shouldn't be lost just because another
 * process is writing.
 */
export const RESULT_WAIT_MS = 60_000;

/** Updates a job if the claimant still has it. */
async function updateClaimed(job: JobRow, columns: UpdateObject<Schema, "jobs">): Promise<void> {
  const query = database()
    .updateTable("jobs")
    .set(columns)
    .where("id", "=", job.id)
    .where("worker", "=", job.worker);
  await retryWhileBusy(() => query.execute(), RESULT_WAIT_MS);
}

/** Retries one failed job, or all failed jobs. Returns the number of retried jobs. */
export async function retryFailedJobs(id?: number): Promise<number> {
  let query = database()
    .updateTable("jobs")
    .set({ state: "waiting", attempts: 0, reason: null, progress: 0, finished_at: null })
    .set({ run_after: iso(Date.now()) })
    .where("state", "=", "failed");
  if (id !== undefined) query = query.where("id", "=", id);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  jobsChanged("work");
  return Number(numUpdatedRows);
}

/**
 * Expires the leases of dead workers on this machine immediately. This is done in one transaction, so that a job
 * claimed by another worker in the meantime isn't affected.
 */
export async function reclaimFromDeadWorkers(): Promise<void> {
  await transaction(() => {
    const sqlite = sqliteHandle();
    const workers = sqlite
      .prepare<unknown[], string>(
        "SELECT DISTINCT worker FROM jobs WHERE state = 'running' AND worker IS NOT NULL",
      )
      .pluck()
      .all();
    const reclaim = sqlite.prepare(
      "UPDATE jobs SET lease_until = ? WHERE state = 'running' AND worker = ?",
    );
    for (const worker of workers) {
      if (worker !== ownWorker() && isDead(worker)) reclaim.run(iso(0), worker);
    }
  });
}

function isDead(worker: string): boolean {
  if (worker.startsWith(REMOTE_PREFIX)) return false;
  const [host, pid] = worker.split("/");
  if (host !== os.hostname()) return false;
  // In a container, a restarted process has the same process id as before.
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/**
 * Returns the table that contains the row updated by a job, which belongs either to a video or to a video's pending
 * file. Both tables have the same columns.
 *
 * @returns `videos` if neither table contains the id.
 */
export function tableOf(id: string): "videos" | "video_files" {
  return prepared("SELECT 1 FROM video_files WHERE id = ?").get(id) ? "video_files" : "videos";
}
