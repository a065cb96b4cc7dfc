import { randomBytes } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { HardwareSuspendedError } from "~/media/encode/encoders.server";
import { DISK_FULL, explain } from "~/media/encode/explain";
import {
  createTask,
  EncodeError,
  type Progress,
  type TaskControl,
} from "~/media/encode/task.server";
import { WORK_PREFIX, workFolder } from "~/media/files/disk.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { PictureError } from "~/media/pictures/picture-process.server";
import { InterruptedError } from "~/media/probe/ffmpeg.server";
import { RefusedFileError } from "~/media/probe/probe.server";
import { asJob } from "~/media/probe/process-gate.server";
import { StorageError } from "~/media/storage/object-store";
import { transaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import type { JobRow } from "~db/schema";
import { isBusy, retryWhileBusy } from "~db/write-lock";
import { UnscannedError } from "../scan/scan-file.server";
import { noteUnscanned } from "../scan/scan-queue.server";
import { commitArtifact, NameTakenError, removeStale } from "./commit-artifact.server";
import { PRIORITIES } from "./kinds";
import { withSourceFiles } from "./local-source.server";
import { produceArtifact, sourceOf, UnusableSourceError } from "./produce-artifact.server";
import { fail, heartbeat, isOurs, RESULT_WAIT_MS, returnToQueue } from "./queue.server";
import { planSourceRemoval, removeSource } from "./remove-source.server";

/** How often a running job prolongs its lease; a third of the lease. */
const HEARTBEAT_MS = 10_000;
/** How often at most its progress is written. */
const PROGRESS_MS = 1_000;
const DISK_FULL_WAIT_MS = 60_000;
const STORE_AWAY_WAIT_MS = 60_000;
/** Until a command that came to no result runs again; no job waits longer, see `claimNext`. */
const SCAN_RETRY_MS = 5 * 60_000;
/** Given back after this long, even when something still has to end. */
const LEAVE_WITHIN_MS = 2_000;

/** A job that this process is working on. */
export interface Work {
  job: JobRow;
  task: TaskControl;
  /** Resolves, and never rejects, when the job is done, failed, or given back. */
  ended: Promise<void>;
  /** Prolongs the lease. */
  beat(): void;
  /** Ends it at once and gives it back. */
  returnToQueue(): Promise<void>;
}

/** Starts on a job that was claimed. */
export function beginWork(job: JobRow): Work {
  let latest: Progress = { fraction: 0 };
  // Not the clock of the day, which may be set.
  let writtenAt = performance.now();
  const startedAt = performance.now();
  let returned = false;
  const sendHeartbeat = () => {
    writtenAt = performance.now();
    const workedMs = performance.now() - startedAt - task.heldMs();
    if (!heartbeat(job, { ...estimate(latest, workedMs) })) task.abort();
  };
  // Of this attempt only: a process that has lost its lease still removes its own folder.
  const folder = `${WORK_PREFIX}${job.id}-${randomBytes(6).toString("hex")}`;
  const task = createTask(path.join(workFolder(), folder), (progress) => {
    latest = progress;
    if (performance.now() - writtenAt >= PROGRESS_MS) sendHeartbeat();
  });
  const pulse = every(HEARTBEAT_MS, `extend the lease of job ${job.id}`, sendHeartbeat);

  const ended = asJob(() => attempt(job, task))
    .catch((error) => recordFailure(job, error, task.signal.aborted, returned))
    .catch((error) => console.error("The end of a job could not be recorded:", error))
    .finally(async () => {
      await pulse.stop();
      await removeTemporary(task.folder);
    });
  return {
    job,
    task,
    ended,
    beat: sendHeartbeat,
    async returnToQueue() {
      returned = true;
      task.abort();
      const late = setTimeout(LEAVE_WITHIN_MS, "late", { ref: false });
      if ((await Promise.race([ended, late])) === "late") await returnToQueue(job);
    },
  };
}

async function attempt(job: JobRow, task: TaskControl): Promise<void> {
  const source = await sourceOf(job);
  if (!source) throw new UnusableSourceError("The video has no file in this library.");
  await mkdir(task.folder, { recursive: true });
  // Commit only after `withSourceFiles` has confirmed that the store delivered every byte.
  const { artifact, removal, note } = await withSourceFiles(job, source, async () => {
    task.signal.throwIfAborted();
    const produced = await produceArtifact(job, source, task);
    task.signal.throwIfAborted();
    return { artifact: produced, ...(await planSourceRemoval(job, source, task)) };
  });
  // Before the commit: if the process is killed in between, the cleanup job runs again.
  if (removal && job.kind === "cleanup") await removeSource(job, source, removal);
  const result = note ? { ...artifact, note } : artifact;
  const isCommitted = await commitArtifact(job, source, result, task.folder);
  if (removal && job.kind !== "cleanup" && isCommitted) await removeSource(job, source, removal);
}

/** Records how an attempt has failed, or returns the job to the queue. */
export async function recordFailure(
  job: JobRow,
  error: unknown,
  aborted: boolean,
  returned: boolean,
): Promise<void> {
  if (returned) return returnToQueue(job);
  // The video was deleted, or another worker has the job: it is theirs.
  if (aborted) return;
  if (error instanceof UnscannedError) {
    console.error(`The file of job ${job.id} was not scanned: ${error.message}`);
    const note = () => isOurs(job) && noteUnscanned(job.video_id, error.message);
    await retryWhileBusy(() => transaction(note), RESULT_WAIT_MS);
    // Behind what new videos need, which a command that hangs would hold up again and again.
    return returnToQueue(job, SCAN_RETRY_MS, error.message, PRIORITIES.ladder + 1);
  }
  const lines = error instanceof EncodeError ? error.lines : [];
  const { code } = error as NodeJS.ErrnoException;
  const isPictureWithoutRoom = error instanceof PictureError && error.failure === "disk full";
  if (code === "ENOSPC" || isPictureWithoutRoom) {
    return returnToQueue(job, DISK_FULL_WAIT_MS, DISK_FULL);
  }
  // The store may answer again; what is not in it stays so.
  if (error instanceof StorageError && !error.isPermanent) {
    console.error(`Job ${job.id} (${job.kind}) waits: ${error.message}`);
    return returnToQueue(job, STORE_AWAY_WAIT_MS);
  }
  if (error instanceof HardwareSuspendedError) {
    return returnToQueue(job, error.remainingMs, error.message);
  }
  // Another process has held the lock of the database for minutes; that is no fault of the job.
  if (isBusy(error)) return returnToQueue(job);
  // Only what ffmpeg says of the file's bytes is final; a signal or a time limit is not.
  const final =
    error instanceof RefusedFileError ||
    error instanceof UnusableSourceError ||
    error instanceof NameTakenError;
  const expected = final || error instanceof EncodeError || error instanceof InterruptedError;
  if (!expected) console.error(`Job ${job.id} (${job.kind}) failed:`, error);
  await fail(job, explain((error as Error).message, lines), final);
  const source = job.kind === "ladder" ? await sourceOf(job) : undefined;
  if (source) await removeStale(source, "ladder");
}

/** How far the job is, and how long it will take at the pace it has had. */
function estimate({ fraction, speed }: Progress, workedMs: number) {
  const elapsed = workedMs / 1_000;
  return {
    progress: fraction,
    ...(speed && { speed }),
    ...(fraction > 0.02 && { secondsLeft: (elapsed * (1 - fraction)) / fraction }),
  };
}

/** Removes the folders of attempts that were killed, but for those of jobs that run now. */
export async function removeLeftovers(running: ReadonlySet<number>): Promise<void> {
  for (const name of await readdir(workFolder()).catch(() => [])) {
    if (
      !name.startsWith(WORK_PREFIX) ||
      running.has(Number.parseInt(name.slice(WORK_PREFIX.length), 10))
    )
      continue;
    await removeTemporary(path.join(workFolder(), name));
  }
}
