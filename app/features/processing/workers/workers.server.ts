import { createHash, randomBytes } from "node:crypto";
import { changeAndRecord } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { database, prepared, transaction, tryWriteTransaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import type { JobKind } from "~db/schema";
import { JOB_LABELS } from "../queue/kinds";
import { IS_REMOTE, returnJobsOfWorker, workerOfLease } from "./leases.server";
import type { ListedWorker } from "./worker-list";

/** A prefix that makes accidentally published tokens easy to find. */
const PREFIX = "afterdark_worker_";
const TOKEN_BYTES = 32;
const MAX_WORKERS = 50;
const MAX_NAME_LENGTH = 60;
/** The minimum interval between updates of `last_seen_at`. */
const LAST_SEEN_INTERVAL_MS = 10_000;

/** Only the hash is stored, so that nobody can read a token after it has been created. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

/** An authenticated worker. */
export interface Worker {
  id: number;
  name: string;
}

/**
 * Creates a worker.
 *
 * @param form the form, with a `name` field.
 * @returns the worker's token, which is only shown once.
 * @throws {FormError} 422 if the name is missing or too long, 409 if it is taken or there are already 50 workers.
 */
export async function createWorker(
  userId: string,
  form: FormData,
  now = new Date(),
): Promise<string> {
  const name = String(form.get("name") ?? "").trim();
  if (name === "" || name.length > MAX_NAME_LENGTH)
    throw new FormError(422, `Enter a name with at most ${MAX_NAME_LENGTH} characters.`);
  const names = prepared<string>("SELECT name FROM workers").pluck().all();
  if (names.includes(name)) throw new FormError(409, "There is already a worker with this name.");
  if (names.length >= MAX_WORKERS)
    throw new FormError(
      409,
      `You can have at most ${MAX_WORKERS} workers. Revoke one that you don’t use.`,
    );
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
  await changeAndRecord({ userId, action: "worker-create", detail: name }, () =>
    runChange(
      database()
        .insertInto("workers")
        .values({ token_hash: hashOf(token), name, created_at: now.toISOString() }),
    ),
  );
  return token;
}

/** Revokes a worker's token and requeues its jobs. Returns false if there is no such worker. */
export async function revokeWorker(userId: string, id: number): Promise<boolean> {
  const worker = await database()
    .selectFrom("workers")
    .select("name")
    .where("id", "=", id)
    .executeTakeFirst();
  if (!worker) return false;
  await changeAndRecord({ userId, action: "worker-revoke", detail: worker.name }, () =>
    runChange(database().deleteFrom("workers").where("id", "=", id)),
  );
  await returnJobsOfWorker(id);
  return true;
}

/** Returns the worker to which a token belongs; undefined if the token is unknown or was revoked. */
export function findWorker(token: string, now = Date.now()): Worker | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const row = prepared<Worker & { last_seen_at: string | null }>(
    "SELECT id, name, last_seen_at FROM workers WHERE token_hash = ?",
  ).get(hashOf(token));
  if (!row) return undefined;
  const { id, name, last_seen_at } = row;
  if (last_seen_at === null || now - Date.parse(last_seen_at) >= LAST_SEEN_INTERVAL_MS) {
    // The update is skipped if another process is writing, because the next request can update the row instead.
    tryWriteTransaction(() => {
      prepared("UPDATE workers SET last_seen_at = ? WHERE id = ?").run(
        new Date(now).toISOString(),
        id,
      );
    });
  }
  return { id, name };
}

/** Records that a result was accepted, or the reason why it was rejected. */
export async function recordResult(id: number, trouble: string | null): Promise<void> {
  await transaction(() => {
    prepared("UPDATE workers SET jobs_done = jobs_done + ?, trouble = ? WHERE id = ?").run(
      ...[trouble === null ? 1 : 0, trouble, id],
    );
  });
}

interface WorkerJob {
  worker: string;
  kind: JobKind;
  title: string;
  video_id: string;
  progress: number;
  speed: number | null;
  seconds_left: number | null;
}

/** Returns all workers sorted by name, with their running jobs. */
export async function listWorkers(): Promise<ListedWorker[]> {
  const workers = await database().selectFrom("workers").selectAll().orderBy("name").execute();
  if (workers.length === 0) return [];
  const jobs = prepared<WorkerJob>(
    `SELECT worker, kind, title, videos.id AS video_id, progress, speed, seconds_left FROM jobs
     LEFT JOIN video_files AS file ON file.id = jobs.video_id
     JOIN videos ON videos.id = coalesce(file.video_id, jobs.video_id)
     WHERE jobs.state = 'running' AND ${IS_REMOTE} ORDER BY jobs.id`,
  ).all();
  return workers.map((row) => ({
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    jobsDone: row.jobs_done,
    trouble: row.trouble,
    jobs: jobs
      .filter(({ worker }) => workerOfLease(worker) === row.id)
      .map(({ kind, title, video_id, progress, speed, seconds_left }) => ({
        ...{ label: JOB_LABELS[kind], title, videoId: video_id, progress },
        ...(speed !== null && { speed }),
        ...(seconds_left !== null && { secondsLeft: seconds_left }),
      })),
  }));
}
