import { recordActivity } from "~/platform/activity/activity.server";
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { database, transaction } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import type { BackupRow } from "~db/schema/operations";
import { retryWhileBusy } from "~db/write-lock";
import type { CreatedBackup } from "./create-backup.server";

/** The number of earlier backups whose records are kept. */
const MAX_RECORDS = 200;
/** How long to wait for the write lock at the end of a backup. */
const BUSY_WAIT_MS = 60_000;

export interface BackupRequest {
  /** The user who requested the backup; null if it was scheduled or requested on the command line. */
  userId: string | null;
  /** The scheduled time (ISO 8601, UTC); null if the backup was requested. */
  dueAt: string | null;
}

/** Records the start of a backup. Returns the record's id. */
export async function recordStart({ userId, dueAt }: BackupRequest): Promise<number> {
  const { insertId } = await database()
    .insertInto("backups")
    .values({ user_id: userId, due_at: dueAt })
    .executeTakeFirstOrThrow();
  const id = Number(insertId);
  await database()
    .deleteFrom("backups")
    .where("id", "<=", id - MAX_RECORDS)
    .execute();
  return id;
}

/** Records that a backup was created and verified, and adds an entry to the activity log. */
export async function recordSuccess(id: number, created: CreatedBackup): Promise<void> {
  const { name, files, bytes, addedBytes, repaired } = created;
  const columns = { name, files, bytes, added_bytes: addedBytes, repaired };
  const detail = `${formatQuantity(files, "file")}, ${formatBytes(bytes)}`;
  await finish(id, { state: "done", ...columns }, "backup", detail);
}

export async function recordFailure(id: number, reason: string): Promise<void> {
  await finish(id, { state: "failed", reason }, "backup-failed", reason);
}

async function finish(
  id: number,
  columns: Partial<BackupRow>,
  action: "backup" | "backup-failed",
  detail: string,
): Promise<void> {
  const write = () => {
    const row = firstRow(
      database()
        .updateTable("backups")
        .set({ ...columns, finished_at: new Date().toISOString() })
        .where("id", "=", id)
        .returning(["user_id", "due_at"]),
    );
    const userId = row?.user_id ?? null;
    recordActivity({ userId, action: row?.due_at ? `${action}-timed` : action, detail });
  };
  await retryWhileBusy(() => transaction(write), BUSY_WAIT_MS);
}

/** The reason stored for a backup whose process was killed. `shouldDelayRetry` counts the backups with this reason. */
const KILLED = "Its process was killed.";
const STOPPED = "The site was stopped.";
/** The delays before the retries of a scheduled backup whose process was killed. */
const RETRY_DELAYS_MS = [60_000, 15 * 60_000];

/**
 * Records that the running backups have been interrupted. A scheduled backup that was interrupted is still due.
 *
 * @param isStopped whether the site itself stopped them.
 */
export async function recordInterruption({ isStopped = false } = {}): Promise<void> {
  await database()
    .updateTable("backups")
    .set({
      state: "interrupted",
      reason: isStopped ? STOPPED : KILLED,
      finished_at: new Date().toISOString(),
    })
    .where("state", "=", "running")
    .execute();
}

/**
 * Decides when to retry a scheduled backup whose process was killed, for example because it needed too much memory. If
 * the process was killed in every attempt, the backup is recorded as failed, which raises an alert.
 *
 * @returns whether the next attempt must wait.
 */
export async function shouldDelayRetry(now: number): Promise<boolean> {
  const last = await database()
    .selectFrom("backups")
    .select(["id", "state", "reason", "finished_at"])
    .where("due_at", "is not", null)
    .orderBy("id", "desc")
    .limit(RETRY_DELAYS_MS.length + 1)
    .execute();
  const first = last.findIndex(({ reason }) => reason !== KILLED);
  const kills = first < 0 ? last.length : first;
  const [latest] = last;
  if (kills === 0 || !latest) return false;
  const waitMs = RETRY_DELAYS_MS[kills - 1];
  if (waitMs !== undefined) return now < Date.parse(latest.finished_at ?? "") + waitMs;
  await recordFailure(
    latest.id,
    `The backup process was killed ${kills} times. Check whether the server runs out of memory.`,
  );
  return true;
}

/** Deletes the record of a backup that couldn't start because another backup was running. */
export async function deleteStart(id: number): Promise<void> {
  await database().deleteFrom("backups").where("id", "=", id).execute();
}

/** Returns the scheduled time of the most recent scheduled backup, in milliseconds since 1970. */
export async function lastDue(): Promise<number | undefined> {
  const row = await database()
    .selectFrom("backups")
    .select("due_at")
    .where("due_at", "is not", null)
    .where("state", "in", ["done", "failed"])
    .orderBy("due_at", "desc")
    .executeTakeFirst();
  return row?.due_at ? Date.parse(row.due_at) : undefined;
}

/** Returns the start time of the running backup (ISO 8601, UTC), or undefined if no backup is running. */
export async function runningSince(): Promise<string | undefined> {
  const row = await database()
    .selectFrom("backups")
    .select("started_at")
    .where("state", "=", "running")
    .executeTakeFirst();
  return row?.started_at;
}

/** Returns the last verified backup. */
export function lastVerified(): Promise<BackupRow | undefined> {
  return database()
    .selectFrom("backups")
    .selectAll()
    .where("state", "=", "done")
    .orderBy("id", "desc")
    .executeTakeFirst();
}

/**
 * Backups are due at an initial time and then every `everyMs` milliseconds, so that delays don't add up. All times are
 * in milliseconds.
 */

/**
 * Returns the scheduled time of the backup that is due now. If several were missed, it is the time of the most recent
 * one, since a single backup makes up for all of them.
 *
 * @param last the scheduled time of the last backup; undefined before the first one.
 * @returns undefined if no backup is due.
 */
export function dueNow(last: number | undefined, everyMs: number, now: number): number | undefined {
  // If the last backup's time is in the future, the backup was created while the clock was wrong.
  if (last === undefined || last > now + everyMs) return now;
  const missed = Math.floor((now - last) / everyMs);
  return missed > 0 ? last + missed * everyMs : undefined;
}

/** Returns the time of the next backup, or `now` if a backup is due. */
export function nextDue(last: number | undefined, everyMs: number, now: number): number {
  if (last === undefined || dueNow(last, everyMs, now) !== undefined) return now;
  return last + everyMs;
}
