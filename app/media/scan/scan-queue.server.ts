import { settings } from "~/server/settings.server";
import { hold, releaseHold } from "~/visibility/holds.server";
import { prepared, writeTransaction } from "~db/client.server";
import type { ScanFindingsTable } from "~db/schema/scan";
import { writingTurns } from "~db/threads/checkpoint.server";
import type { ScanResult } from "../encode/artifact";
import { jobsChanged } from "../jobs/job-events.server";
import { PRIORITIES } from "../jobs/kinds";
import { tableOf } from "../jobs/table-of.server";

/** Which files are scanned, and what the scan found: see `scan-file.server.ts` for the scan itself. */

const VIDEOS_AT_ONCE = 200;
/** Behind all that new videos need. */
const LIBRARY_PRIORITY = 90;

/**
 * Holds a new video until its file has been scanned, inside of the transaction that inserts it. Does nothing without
 * SCAN_COMMAND.
 *
 * @returns whether it will be scanned.
 */
export function scanNewVideo(videoId: string): boolean {
  if (!settings().scanCommand) return false;
  hold({ videoId, reason: "scan" });
  queueScan(videoId);
  return true;
}

/** Queues the scan of a file that is to replace that of a video. It waits for the result, see take-over.server.ts. */
export function scanReplacement(fileId: string): void {
  if (settings().scanCommand) queueScan(fileId);
}

function queueScan(id: string): void {
  prepared(
    "INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'scan', ?) ON CONFLICT DO NOTHING",
  ).run(id, PRIORITIES.scan);
}

/**
 * Queues again what was to be scanned when a video went to the trash, inside of the transaction that restores it. Its
 * hold and what was found are still there.
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
 * Queues the scan of every video that has a file of ours and was never scanned. They stay public meanwhile.
 *
 * @returns how many.
 */
export async function scanLibrary(): Promise<number> {
  const next = prepared(
    `SELECT number, id FROM videos WHERE number > ? ORDER BY number LIMIT ${VIDEOS_AT_ONCE}`,
  );
  const add = prepared(
    `INSERT INTO jobs (video_id, kind, priority)
     SELECT id, 'scan', ${LIBRARY_PRIORITY} FROM videos
     WHERE number = ? AND (video_url <> '' OR source_url IS NOT NULL)
     ON CONFLICT DO NOTHING`,
  );
  const turn = writingTurns();
  let added = 0;
  for (let after = 0; ; ) {
    const rows = next.all(after) as { number: number }[];
    added += await writeTransaction(() =>
      rows.reduce((count, { number }) => count + add.run(number).changes, 0),
    );
    if (rows.length < VIDEOS_AT_ONCE) break;
    after = rows.at(-1)!.number;
    await turn();
  }
  jobsChanged("work");
  return added;
}

/** Notes the result of a scan, inside of the transaction that ends its job. */
export function noteScan(id: string, { verdict, reason }: ScanResult): void {
  if (verdict === "pass") {
    prepared("DELETE FROM scan_findings WHERE video_id = ?").run(id);
    releaseHold({ videoId: id, reason: "scan" });
    return;
  }
  writeFinding(id, verdict, reason);
  if (tableOf(id) === "videos") hold({ videoId: id, reason: "scan" });
  // Directly: media knows no accounts, and this is nobody's action.
  prepared(
    `INSERT INTO activities (action, subject_id, detail)
     SELECT @action, id, title FROM videos
     WHERE id = coalesce((SELECT video_id FROM video_files WHERE id = @id), @id)`,
  ).run({ id, action: verdict === "hold" ? "scan-held" : "scan-refused" });
}

/** Notes that a scan came to no result, inside of a transaction. What an earlier one found stays. */
export function noteUnscanned(id: string, reason: string): void {
  writeFinding(id, "unchecked", reason);
}

function writeFinding(id: string, verdict: ScanFindingsTable["verdict"], reason: string): void {
  prepared(
    `INSERT INTO scan_findings (video_id, verdict, reason, found_at) VALUES (@id, @verdict, @reason, @now)
     ON CONFLICT (video_id) DO UPDATE SET verdict = @verdict, reason = @reason, found_at = @now
       WHERE @verdict <> 'unchecked' OR verdict = 'unchecked'`,
  ).run({ id, verdict, reason, now: new Date().toISOString() });
}

/** Scans a file again, inside of a transaction; `jobsChanged("work")` is due once that is committed. */
export function scanAgain(id: string): void {
  prepared(
    `INSERT INTO jobs (video_id, kind, priority) VALUES (@id, 'scan', @priority)
     ON CONFLICT (video_id, kind) DO UPDATE SET state = 'waiting', priority = @priority, attempts = 0,
       reason = NULL, progress = 0, finished_at = NULL, run_after = @now WHERE state <> 'running'`,
  ).run({ id, priority: PRIORITIES.scan, now: new Date().toISOString() });
}

/**
 * Ends the scan of a video or of a file that replaces another, inside of a transaction, because somebody has decided:
 * what was found is forgotten, and a scan that is under way changes nothing any more.
 */
export function endScan(id: string): void {
  prepared("DELETE FROM scan_findings WHERE video_id = ?").run(id);
  prepared(
    `UPDATE jobs SET state = 'done', worker = NULL, lease_until = NULL, reason = NULL, finished_at = ?
     WHERE video_id = ? AND kind = 'scan'`,
  ).run(new Date().toISOString(), id);
  releaseHold({ videoId: id, reason: "scan" });
}
