import { hold, releaseHold } from "~/features/visibility/holds.server";
import type { ScanResult } from "~/media/encode/artifact";
import { localFile } from "~/media/files/local-copies.server";
import { limitedCommand } from "~/media/probe/ffmpeg.server";
import { startScan } from "~/platform/child-process.server";
import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import type { ScanFindingsTable } from "~db/schema/media";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { PRIORITIES } from "../queue/kinds";
import { tableOf } from "../queue/queue.server";
import { jobsChanged } from "../queue/queue-state.server";

/** Decides which files are scanned, runs the scan, and applies its result. */

const BATCH_SIZE = 200;
/** Scans run after all jobs for new videos. */
const LIBRARY_PRIORITY = 90;

/**
 * Puts a new video on hold until its file has been scanned. Does nothing without SCAN_COMMAND. Synchronous, because it
 * is called in the transaction that inserts the video.
 *
 * @returns whether the file will be scanned.
 */
export function scanNewVideo(videoId: string): boolean {
  if (!settings().scanCommand) return false;
  hold({ videoId, reason: "scan" });
  queueScan(videoId);
  return true;
}

/**
 * Queues the scan of a replacement file. The file isn't activated until it has passed the scan (see
 * activate-replacement.server.ts).
 */
export function scanReplacement(fileId: string): void {
  if (settings().scanCommand) queueScan(fileId);
}

function queueScan(id: string): void {
  prepared(
    "INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'scan', ?) ON CONFLICT DO NOTHING",
  ).run(id, PRIORITIES.scan);
}

/**
 * Requeues the scans that were unfinished when videos were moved to the trash. Their holds and findings still exist.
 * Synchronous, because it is called in the transaction that restores the videos.
 */
export function queueUnfinishedScans(
  ids: readonly string[],
  table: "videos" | "video_files",
): void {
  const isDecided = `EXISTS (SELECT 1 FROM scan_findings WHERE scan_findings.video_id = value
    AND verdict <> 'unchecked')`;
  const isDue =
    table === "videos"
      ? `EXISTS (SELECT 1 FROM video_holds WHERE video_holds.video_id = value AND reason = 'scan')`
      : settings().scanCommand
        ? "EXISTS (SELECT 1 FROM video_files WHERE id = value AND state = 'pending' AND cut_of IS NULL)"
        : "FALSE";
  prepared(
    `INSERT INTO jobs (video_id, kind, priority)
     SELECT value, 'scan', ${PRIORITIES.scan} FROM json_each(?) WHERE ${isDue} AND NOT ${isDecided}
     ON CONFLICT DO NOTHING`,
  ).run(JSON.stringify(ids));
}

/**
 * Queues scans for all videos that have a file on this site and were never scanned. The videos stay public while they
 * wait.
 *
 * @returns the number of videos.
 */
export async function scanLibrary(): Promise<number> {
  const next = prepared<{ number: number }>(
    `SELECT number, id FROM videos WHERE number > ? ORDER BY number LIMIT ${BATCH_SIZE}`,
  );
  const add = prepared(
    `INSERT INTO jobs (video_id, kind, priority)
     SELECT id, 'scan', ${LIBRARY_PRIORITY} FROM videos
     WHERE number = ? AND (video_url <> '' OR source_url IS NOT NULL)
     ON CONFLICT DO NOTHING`,
  );
  const yieldIfDue = createWriteYielder();
  let added = 0;
  for (let after = 0; ; ) {
    const rows = next.all(after);
    added += await transaction(() =>
      rows.reduce((count, { number }) => count + add.run(number).changes, 0),
    );
    if (rows.length < BATCH_SIZE) break;
    after = rows.at(-1)!.number;
    await yieldIfDue();
  }
  jobsChanged("work");
  return added;
}

/** Stores a scan's result. Synchronous, because it is called in the transaction that ends the scan's job. */
export function recordScan(id: string, { verdict, reason }: ScanResult): void {
  if (verdict === "pass") {
    prepared("DELETE FROM scan_findings WHERE video_id = ?").run(id);
    releaseHold({ videoId: id, reason: "scan" });
    return;
  }
  writeFinding(id, verdict, reason);
  if (tableOf(id) === "videos") hold({ videoId: id, reason: "scan" });
  // The activity isn't attributed to any user.
  prepared(
    `INSERT INTO activities (action, subject_id, detail)
     SELECT @action, id, title FROM videos
     WHERE id = coalesce((SELECT video_id FROM video_files WHERE id = @id), @id)`,
  ).run({ id, action: verdict === "hold" ? "scan-held" : "scan-refused" });
}

/**
 * Records that a scan didn't produce a verdict. Earlier findings are kept. Synchronous, because it is called in a
 * transaction.
 */
export function recordUnscanned(id: string, reason: string): void {
  writeFinding(id, "unchecked", reason);
}

function writeFinding(id: string, verdict: ScanFindingsTable["verdict"], reason: string): void {
  prepared(
    `INSERT INTO scan_findings (video_id, verdict, reason, found_at) VALUES (@id, @verdict, @reason, @now)
     ON CONFLICT (video_id) DO UPDATE SET verdict = @verdict, reason = @reason, found_at = @now
       WHERE @verdict <> 'unchecked' OR verdict = 'unchecked'`,
  ).run({ id, verdict, reason, now: new Date().toISOString() });
}

/** Requeues a scan. Synchronous, because it is called in a transaction; call `jobsChanged("work")` after the commit. */
export function scanAgain(id: string): void {
  prepared(
    `INSERT INTO jobs (video_id, kind, priority) VALUES (@id, 'scan', @priority)
     ON CONFLICT (video_id, kind) DO UPDATE SET state = 'waiting', priority = @priority, attempts = 0,
       reason = NULL, progress = 0, finished_at = NULL, run_after = @now WHERE state <> 'running'`,
  ).run({ id, priority: PRIORITIES.scan, now: new Date().toISOString() });
}

/**
 * Ends the scan of a video or of a replacement file after a moderator has made a decision: deletes the findings and
 * ignores the result of a running scan. Synchronous, because it is called in a transaction.
 */
export function endScan(id: string): void {
  prepared("DELETE FROM scan_findings WHERE video_id = ?").run(id);
  prepared(
    `UPDATE jobs SET state = 'done', worker = NULL, lease_until = NULL, reason = NULL, finished_at = ?
     WHERE video_id = ? AND kind = 'scan'`,
  ).run(new Date().toISOString(), id);
  releaseHold({ videoId: id, reason: "scan" });
}

/** The command produced no verdict. The file stays on hold and is scanned again. */
export class UnscannedError extends Error {}

/** The limit on wall-clock time. It is long enough to scan a large file on a slow disk. */
const TIMEOUT_MS = 30 * 60_000;
export const MAX_REASON_LENGTH = 300;
/** The amount of output that is kept. The rest is read and discarded. */
const MAX_OUTPUT_BYTES = 8 * 1024;
const VERDICTS = ["pass", "hold", "refuse"] as const;

/**
 * Runs SCAN_COMMAND with the file as its last argument. The command runs at low priority, without the site's secrets
 * and without a shell. Exit code 0 passes the file, 1 puts it on hold, and 2 refuses it. The first line on standard
 * output is the reason. Without a reason, exit codes 1 and 2 don't count as a verdict, because interpreters and
 * wrappers also exit with these codes when they fail.
 *
 * @param signal kills the command and its child processes.
 * @throws {UnscannedError} if there is no verdict.
 */
export async function scanFile(
  file: string,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<ScanResult> {
  const command = settings().scanCommand;
  if (!command) throw new UnscannedError("SCAN_COMMAND is not set.");
  const [program, ...args] = limitedCommand([...command, await localFile(file)], {
    background: true,
  });
  const child = startScan(program, args);
  let output = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    const room = MAX_OUTPUT_BYTES - output.length;
    if (room > 0) output = Buffer.concat([output, chunk.subarray(0, room)]);
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.end();
  }, timeoutMs);
  signal.addEventListener("abort", child.end, { once: true });
  try {
    if (signal.aborted) child.end();
    const end = await child.ended;
    signal.throwIfAborted();
    if (isLate) throw new UnscannedError(`The scan took longer than ${spanOf(timeoutMs)}.`);
    return resultOf(end, reasonIn(output));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", child.end);
  }
}

type End = Awaited<ReturnType<typeof startScan>["ended"]>;

function resultOf({ error, code, signal }: End, reason: string): ScanResult {
  if (error) throw new UnscannedError(`The scan couldn't be started: ${error}.`);
  const verdict = code === null ? undefined : VERDICTS[code];
  if (verdict && (verdict === "pass" || reason)) return { verdict, reason };
  const end = code === null ? `was killed by ${signal}` : `ended with exit code ${code}`;
  const output = reason ? ` and printed: ${reason}` : verdict ? " without printing a reason" : "";
  throw new UnscannedError(`The scan ${end}${output}.`);
}

/** The output is untrusted, since it may contain the file's name. */
function reasonIn(output: Buffer): string {
  const lines = output.toString("utf8").split(/[\r\n\u2028\u2029]+/);
  const cleaned = lines.map((line) => line.replaceAll(/[\p{C}\s]+/gu, " ").trim());
  const [line = ""] = cleaned.filter(Boolean);
  return [...line].slice(0, MAX_REASON_LENGTH).join("");
}

function spanOf(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`;
}
