import path from "node:path";
import { WORK_PREFIX } from "~/media/files/disk.server";
import { removeTemporary, temporaryFolder } from "~/media/files/temporary-files.server";
import { sqliteHandle, transaction } from "~db/client.server";
import type { JobRow } from "~db/schema";
import { jobsChanged } from "../queue/queue-state.server";

/** The prefix of remote workers' lease names. Other lease names start with a host name, which contains no slash. */
export const REMOTE_PREFIX = "remote/";
/** An SQL condition that is true if the lease name in `jobs.worker` has this prefix. The character after `/` is `0`. */
export const IS_REMOTE = "worker >= 'remote/' AND worker < 'remote0'";
/** Long enough that an hour of encoding isn't wasted if the connection is down for a minute. */
export const REMOTE_LEASE_MS = 120_000;
/** A job fails permanently after its worker has been lost or its result has been rejected this many times in a row. */
export const MAX_LOSSES = 5;
const RETRY_DELAY_MS = 30_000;

/** A remote worker's job, with the name of its lease. */
export interface LostLease {
  id: number;
  worker: string;
}

/** Returns a lease's name: `remote/{worker}/{lease}`. */
export function leaseName(workerId: number, lease: string): string {
  return `${REMOTE_PREFIX}${workerId}/${lease}`;
}

/** Returns the id of the worker that holds a lease. */
export function workerOfLease(name: string): number {
  return Number(name.split("/")[1]);
}

/** Returns a lease's duration. `own` is the duration for workers on this machine. */
export function leaseDurationMs(worker: string | null, own: number): number {
  return worker?.startsWith(REMOTE_PREFIX) ? REMOTE_LEASE_MS : own;
}

/**
 * Returns the folder for files from a remote worker. Each lease has a separate folder, so that files from different
 * leases don't mix.
 */
export function receivedFolder({ id, worker }: LostLease): string {
  return path.join(temporaryFolder(), `${WORK_PREFIX}${id}-${path.basename(worker)}`);
}

/**
 * Shortens leases that would last too long because they were granted before the clock was set back. Workers that are
 * still running extend them according to the new clock.
 *
 * @param own the duration of leases on this machine, in milliseconds.
 */
export function shortenLeases(now: number, own: number): void {
  const leases = {
    own: new Date(now + own).toISOString(),
    remote: new Date(now + REMOTE_LEASE_MS).toISOString(),
  };
  const sqlite = sqliteHandle();
  const longest = `CASE WHEN ${IS_REMOTE} THEN @remote ELSE @own END`;
  const later = `state = 'running' AND lease_until > ${longest}`;
  // This check comes first, so that the write lock isn't taken if there are no such leases.
  if (!sqlite.prepare(`SELECT 1 FROM jobs WHERE ${later}`).get(leases)) return;
  sqlite.prepare(`UPDATE jobs SET lease_until = ${longest} WHERE ${later}`).run(leases);
}

/** Requeues a job without counting the attempt. */
const RETURN_TO_QUEUE = `state = 'waiting', worker = NULL, lease_until = NULL, progress = 0, speed = NULL,
  seconds_left = NULL, attempts = attempts - 1`;

/**
 * Requeues remote workers' jobs whose leases have expired. The attempts don't count. Must be called inside a
 * transaction.
 *
 * @param now in ISO 8601 format (UTC).
 */
export function returnLostLeases(now: string): LostLease[] {
  const sqlite = sqliteHandle();
  const lost = sqlite
    .prepare<unknown[], LostLease>(
      `SELECT id, worker FROM jobs WHERE state = 'running' AND lease_until < ? AND ${IS_REMOTE}`,
    )
    .all(now);
  const returnJob = sqlite.prepare(
    `UPDATE jobs SET ${RETURN_TO_QUEUE}, worker_losses = worker_losses + 1 WHERE id = ?`,
  );
  for (const { id } of lost) returnJob.run(id);
  return lost;
}

/** Requeues a revoked worker's jobs. The attempts don't count. */
export async function returnJobsOfWorker(workerId: number): Promise<void> {
  const isTheirs = "state = 'running' AND worker LIKE ?";
  const returned = await transaction(() => {
    const sqlite = sqliteHandle();
    const theirs = leaseName(workerId, "%");
    const leases = sqlite
      .prepare<unknown[], LostLease>(`SELECT id, worker FROM jobs WHERE ${isTheirs}`)
      .all(theirs);
    sqlite.prepare(`UPDATE jobs SET ${RETURN_TO_QUEUE} WHERE ${isTheirs}`).run(theirs);
    return leases;
  });
  await removeTemporary(...returned.map(receivedFolder));
  jobsChanged("work");
}

/** Requeues a job after its result has been rejected. Fails the job permanently after too many rejections in a row. */
export async function returnRejected(
  { id, worker }: Pick<JobRow, "id" | "worker">,
  reason: string,
): Promise<void> {
  const now = new Date();
  await transaction(() => {
    const sqlite = sqliteHandle();
    const ended = sqlite
      .prepare(
        `UPDATE jobs SET ${RETURN_TO_QUEUE}, worker_losses = worker_losses + 1, reason = ?, run_after = ?
         WHERE id = ? AND worker = ? AND worker_losses < ${MAX_LOSSES - 1}`,
      )
      .run(reason, new Date(now.getTime() + RETRY_DELAY_MS).toISOString(), id, worker);
    if (ended.changes > 0) return;
    sqlite
      .prepare(
        `UPDATE jobs SET state = 'failed', worker = NULL, lease_until = NULL, worker_losses = 0, reason = ?, finished_at = ?
         WHERE id = ? AND worker = ?`,
      )
      .run(reason, now.toISOString(), id, worker);
  });
  jobsChanged("work");
}
