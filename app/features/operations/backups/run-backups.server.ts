import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { limitedCommand } from "~/media/probe/ffmpeg.server";
import { startMessagingProcess } from "~/platform/child-process.server";
import { announceStudioChange } from "~/platform/live/hub.server";
import { onShutdown } from "~/platform/node/shutdown.server";
import { settings } from "~/platform/settings.server";
import { findExecutable } from "~/shared/program.server";
import { every, processState } from "~db/runtime.server";
import { BackupRunningError } from "./backup-files.server";
import { backupOptions, withRetention } from "./backup-folder.server";
import type { BackupResult } from "./backup-process.server";
import {
  type BackupRequest,
  deleteStart,
  dueNow,
  lastDue,
  recordFailure,
  recordInterruption,
  recordStart,
  recordSuccess,
  runningSince,
  shouldDelayRetry,
} from "./backup-records.server";
import { lockBackups } from "./create-backup.server";

/** The maximum delay of a scheduled backup, and the delay before the first one after the site has started. */
const POLL_EVERY_MS = 15_000;
const FIRST_POLL_MS = 2_000;
const UNEXPECTED_ERROR = "An unexpected error occurred. See the site's log.";

const state = processState(
  "backup",
  () => ({ child: undefined as ChildProcess | undefined, isLeaving: false }),
  stopBackup,
);

/** Returns the process of the running backup, for tests that kill it. */
export function backupProcess(): ChildProcess | undefined {
  return state().child;
}

/** Starts the backup schedule if BACKUP_DIR is set. */
export function startBackups(): void {
  if (!settings().backupDir) return;
  every(POLL_EVERY_MS, "start the next backup", () => pollBackups(), { firstMs: FIRST_POLL_MS });
  onShutdown(stopBackup);
}

/**
 * Starts a backup if one is due. If the process of an earlier backup was killed, first records that the backup was
 * interrupted.
 */
export async function pollBackups(now = Date.now()): Promise<void> {
  if (state().child || state().isLeaving) return;
  if (await runningSince()) {
    if (isRunningElsewhere()) return;
    await recordInterruption();
    announceStudioChange();
  }
  const due = dueNow(await lastDue(), settings().backupEveryMs, now);
  if (due !== undefined && !(await shouldDelayRetry(now))) {
    await startBackup({ userId: null, dueAt: new Date(due).toISOString() });
  }
}

/**
 * Starts a backup in a separate process with low CPU and I/O priority.
 *
 * @returns a promise that resolves when the backup has ended, which takes minutes; undefined if a backup is already
 * running or BACKUP_DIR is unset.
 */
export async function startBackup(
  request: BackupRequest,
): Promise<{ ended: Promise<void> } | undefined> {
  const options = backupOptions();
  const { child: running, isLeaving } = state();
  if (!options || running || isLeaving || isRunningElsewhere()) return undefined;
  const { file, loader } = findExecutable("backup-process", import.meta.url);
  const node = [process.execPath, ...(loader ? ["--import", loader] : []), file];
  const [command, ...args] = limitedCommand(node, { background: true });
  const child = startMessagingProcess(command, args, { MALLOC_ARENA_MAX: "2" });
  // Set before the first `await`, so that two requests can't start two backups.
  state().child = child;
  const result = resultOf(child);
  try {
    const id = await recordStart(request);
    child.send(await withRetention(options));
    announceStudioChange();
    return { ended: result.then((found) => record(id, found)) };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/** Resolves when the process has exited. The result is undefined if the process didn't report one. */
async function resultOf(child: ChildProcess): Promise<BackupResult | undefined> {
  let result: BackupResult | undefined;
  child.once("message", (message) => {
    result = message as BackupResult;
  });
  child.channel?.unref();
  child.unref();
  await once(child, "exit").catch(() => {});
  if (state().child === child) state().child = undefined;
  return result;
}

async function record(id: number, result: BackupResult | undefined): Promise<void> {
  try {
    if (!result) await recordInterruption();
    else if ("created" in result) await recordSuccess(id, result.created);
    else if (result.kind === "running") await deleteStart(id);
    else {
      console.error(`The backup failed: ${result.failure}`);
      await recordFailure(id, result.kind === "fault" ? UNEXPECTED_ERROR : result.failure);
    }
  } catch (error) {
    console.error("Could not record the end of a backup:", error);
  }
  announceStudioChange();
}

/** Returns whether another process is running a backup. */
function isRunningElsewhere(): boolean {
  const { dataLock, databasePath } = settings();
  if (!dataLock) return false;
  try {
    lockBackups(databasePath)();
    return false;
  } catch (error) {
    if (error instanceof BackupRunningError) return true;
    throw error;
  }
}

/** Kills the process. The next backup removes the files that the process leaves behind. */
async function stopBackup(): Promise<void> {
  state().isLeaving = true;
  const { child } = state();
  if (!child) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  await recordInterruption({ isStopped: true });
}
