import path from "node:path";
import { WORK_PREFIX } from "~/media/files/disk.server";
import { removeTemporary, temporaryFolder } from "~/media/files/temporary-files.server";
import { sqliteHandle, transaction } from "~db/client.server";
import type { JobRow } from "~db/schema";
import { jobsChanged } from "../queue/queue-state.server";

/** Begins the name of a lease that a worker on another machine has; no host has a slash in its name. */
export const REMOTE_PREFIX = "remote/";
/** The same for SQL, of `jobs.worker`: the character behind the slash is the zero. */
export const IS_REMOTE = "worker >= 'remote/' AND worker < 'remote0'";
/** A line that fails for a minute must not cost an hour of encoding. */
export const REMOTE_LEASE_MS = 120_000;
/** So often in a row a job may be lost by workers, or their results refused; then it has failed. */
export const MAX_LOSSES = 5;
const AFTER_REFUSAL_MS = 30_000;

/** A job of a worker on another machine, and the name of its lease. */
export interface LostLease {
  id: number;
  worker: string;
}

/** The name of a lease: `remote/{worker}/{lease}`. */
export function leaseName(workerId: number, lease: string): string {
  return `${REMOTE_PREFIX}${workerId}/${lease}`;
}

/** Whose lease it is, by its name. */
export function workerOfLease(name: string): number {
  return Number(name.split("/")[1]);
}

/** For how long a lease is given or prolonged; `own` to workers on this machine. */
export function leaseMs(worker: string | null, own: number): number {
  return worker?.startsWith(REMOTE_PREFIX) ? REMOTE_LEASE_MS : own;
}

/**
 * Where what such a worker sends arrives: of each lease in a folder of its own, so that nothing of two
 * mixes.
 */
export function receivedFolder({ id, worker }: LostLease): string {
  return path.join(temporaryFolder(), `${WORK_PREFIX}${id}-${path.basename(worker)}`);
}

/**
 * A lease that ends later than any can was given before the clock was set back; its worker, when there is
 * one, prolongs it by today's clock.
 *
 * @param own for how long workers on this machine have one.
 */
export function correctLeases(now: number, own: number): void {
  const leases = {
    own: new Date(now + own).toISOString(),
    remote: new Date(now + REMOTE_LEASE_MS).toISOString(),
  };
  const sqlite = sqliteHandle();
  const longest = `CASE WHEN ${IS_REMOTE} THEN @remote ELSE @own END`;
  const later = `state = 'running' AND lease_until > ${longest}`;
  // Looked for first: to read takes no lock.
  if (!sqlite.prepare(`SELECT 1 FROM jobs WHERE ${later}`).get(leases)) return;
  sqlite.prepare(`UPDATE jobs SET lease_until = ${longest} WHERE ${later}`).run(leases);
}

/** The attempt that was given up does not count against the video. */
const WAITS_AGAIN = `state = 'waiting', worker = NULL, lease_until = NULL, progress = 0, speed = NULL,
  seconds_left = NULL, attempts = attempts - 1`;

/**
 * What workers on other machines had that were not heard of waits again, and the attempt does not count.
 * For a transaction.
 *
 * @param now ISO 8601 UTC.
 */
export function returnLostLeases(now: string): LostLease[] {
  const sqlite = sqliteHandle();
  const lost = sqlite
    .prepare<unknown[], LostLease>(
      `SELECT id, worker FROM jobs WHERE state = 'running' AND lease_until < ? AND ${IS_REMOTE}`,
    )
    .all(now);
  const giveBack = sqlite.prepare(
    `UPDATE jobs SET ${WAITS_AGAIN}, worker_losses = worker_losses + 1 WHERE id = ?`,
  );
  for (const { id } of lost) giveBack.run(id);
  return lost;
}

/** Gives back what a worker has whose token was revoked; the attempts do not count. */
export async function returnJobsOf(workerId: number): Promise<void> {
  const isTheirs = "state = 'running' AND worker LIKE ?";
  const returned = await transaction(() => {
    const sqlite = sqliteHandle();
    const theirs = leaseName(workerId, "%");
    const leases = sqlite
      .prepare<unknown[], LostLease>(`SELECT id, worker FROM jobs WHERE ${isTheirs}`)
      .all(theirs);
    sqlite.prepare(`UPDATE jobs SET ${WAITS_AGAIN} WHERE ${isTheirs}`).run(theirs);
    return leases;
  });
  await removeTemporary(...returned.map(receivedFolder));
  jobsChanged("work");
}

/** A result that was refused: the job waits again, and has failed when that happened too often in a row. */
export async function returnRefused(
  { id, worker }: Pick<JobRow, "id" | "worker">,
  reason: string,
): Promise<void> {
  const now = new Date();
  await transaction(() => {
    const sqlite = sqliteHandle();
    const ended = sqlite
      .prepare(
        `UPDATE jobs SET ${WAITS_AGAIN}, worker_losses = worker_losses + 1, reason = ?, run_after = ?
         WHERE id = ? AND worker = ? AND worker_losses < ${MAX_LOSSES - 1}`,
      )
      .run(reason, new Date(now.getTime() + AFTER_REFUSAL_MS).toISOString(), id, worker);
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
