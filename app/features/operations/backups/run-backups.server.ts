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
import type { BackupAnswer } from "./backup-process.server";
import {
  type BackupRequest,
  dueNow,
  forgetStart,
  lastDue,
  recordFailure,
  recordInterruption,
  recordStart,
  recordSuccess,
  runningSince,
  shouldDelayRetry,
} from "./backup-records.server";
import { lockBackups } from "./make-backup.server";

/** How late a backup may be, and how long after the start the first. */
const POLL_EVERY_MS = 15_000;
const FIRST_POLL_MS = 2_000;
const FAULT = "It could not be made. The log of the site says why.";

const state = processState(
  "backup",
  () => ({ child: undefined as ChildProcess | undefined, isLeaving: false }),
  stopBackup,
);

/** The process that makes a backup now, for tests that kill it. */
export function backupProcess(): ChildProcess | undefined {
  return state().child;
}

/** Makes the backups of the timetable from now on, if BACKUP_DIR is set. */
export function startBackups(): void {
  if (!settings().backupDir) return;
  every(POLL_EVERY_MS, "begin the next backup", () => pollBackups(), { firstMs: FIRST_POLL_MS });
  onShutdown(stopBackup);
}

/** Begins the backup that is due, if there is one, and notices one whose process was killed. */
export async function pollBackups(now = Date.now()): Promise<void> {
  if (state().child || state().isLeaving) return;
  if (await runningSince()) {
    if (isMadeElsewhere()) return;
    await recordInterruption();
    announceStudioChange();
  }
  const due = dueNow(await lastDue(), settings().backupEveryMs, now);
  if (due !== undefined && !(await shouldDelayRetry(now))) {
    await startBackup({ userId: null, dueAt: new Date(due).toISOString() });
  }
}

/**
 * Begins a backup in a process of its own, which takes what processor and disk others leave.
 *
 * @returns when it has ended, which takes minutes; undefined when one is being made already, or BACKUP_DIR is
 *   unset.
 */
export async function startBackup(
  request: BackupRequest,
): Promise<{ ended: Promise<void> } | undefined> {
  const options = backupOptions();
  const { child: running, isLeaving } = state();
  if (!options || running || isLeaving || isMadeElsewhere()) return undefined;
  const { file, loader } = findExecutable("backup-process", import.meta.url);
  const node = [process.execPath, ...(loader ? ["--import", loader] : []), file];
  const [command, ...args] = limitedCommand(node, { background: true });
  const child = startMessagingProcess(command, args, { MALLOC_ARENA_MAX: "2" });
  // Before anything is awaited, so that two requests do not begin two.
  state().child = child;
  const answer = answerOf(child);
  try {
    const id = await recordStart(request);
    child.send(await withRetention(options));
    announceStudioChange();
    return { ended: answer.then((found) => record(id, found)) };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/** Resolves when the process is gone, with undefined when that was before its answer. */
async function answerOf(child: ChildProcess): Promise<BackupAnswer | undefined> {
  let answer: BackupAnswer | undefined;
  child.once("message", (message) => {
    answer = message as BackupAnswer;
  });
  child.channel?.unref();
  child.unref();
  await once(child, "exit").catch(() => {});
  if (state().child === child) state().child = undefined;
  return answer;
}

async function record(id: number, answer: BackupAnswer | undefined): Promise<void> {
  try {
    if (!answer) await recordInterruption();
    else if ("made" in answer) await recordSuccess(id, answer.made);
    else if (answer.kind === "running") await forgetStart(id);
    else {
      console.error(`The backup failed: ${answer.failure}`);
      await recordFailure(id, answer.kind === "fault" ? FAULT : answer.failure);
    }
  } catch (error) {
    console.error("The end of a backup could not be recorded:", error);
  }
  announceStudioChange();
}

/** Whether a process that is not of this server makes a backup now. */
function isMadeElsewhere(): boolean {
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

/** Ends the process; the next backup removes what it leaves. */
async function stopBackup(): Promise<void> {
  state().isLeaving = true;
  const { child } = state();
  if (!child) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  await recordInterruption({ isStopped: true });
}
