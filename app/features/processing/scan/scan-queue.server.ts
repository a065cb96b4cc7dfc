import { hold, releaseHold } from "~/features/visibility/holds.server";
import type { ScanResult } from "~/media/encode/artifact";
import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import type { ScanFindingsTable } from "~db/schema/media";
import { writingTurns } from "~db/threads/checkpoint.server";
import { PRIORITIES } from "../queue/kinds";
import { tableOf } from "../queue/queue.server";
import { jobsChanged } from "../queue/queue-state.server";

/** Decides which files are scanned and stores the results. `scan-file.server.ts` runs the scan itself. */

const VIDEOS_AT_ONCE = 200;
/** After all jobs of new videos. */
const LIBRARY_PRIORITY = 90;

/**
 * Holds a new video until its file has been scanned. Does nothing without SCAN_COMMAND. Synchronous, for the transaction
 * that inserts the video.
 *
 * @returns whether it will be scanned.
 */
export function scanNewVideo(videoId: string): boolean {
  if (!settings().scanCommand) return false;
  hold({ videoId, reason: "scan" });
  queueScan(videoId);
  return true;
}

/** Queues the scan of a replacement file. The replacement waits for the result, see take-over.server.ts. */
export function scanReplacement(fileId: string): void {
  if (settings().scanCommand) queueScan(fileId);
}

function queueScan(id: string): void {
  prepared(
    "INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'scan', ?) ON CONFLICT DO NOTHING",
  ).run(id, PRIORITIES.scan);
}

/**
 * Queues the scans again that were unfinished when videos went to the trash. Their holds and findings are still there.
 * Synchronous, for the transaction that restores the videos.
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
 * Queues the scan of every video that has a file on this site and was never scanned. Videos stay public meanwhile.
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
    added += await transaction(() =>
      rows.reduce((count, { number }) => count + add.run(number).changes, 0),
    );
    if (rows.length < VIDEOS_AT_ONCE) break;
    after = rows.at(-1)!.number;
    await turn();
  }
  jobsChanged("work");
  return added;
}

/** Stores the result of a scan. Synchronous, for the transaction that ends its job. */
export function noteScan(id: string, { verdict, reason }: ScanResult): void {
  if (verdict === "pass") {
    prepared("DELETE FROM scan_findings WHERE video_id = ?").run(id);
    releaseHold({ videoId: id, reason: "scan" });
    return;
  }
  writeFinding(id, verdict, reason);
  if (tableOf(id) === "videos") hold({ videoId: id, reason: "scan" });
  // Written directly, because `media` may not import `account`. The activity has no user.
  prepared(
    `INSERT INTO activities (action, subject_id, detail)
     SELECT @action, id, title FROM videos
     WHERE id = coalesce((SELECT video_id FROM video_files WHERE id = @id), @id)`,
  ).run({ id, action: verdict === "hold" ? "scan-held" : "scan-refused" });
}

/** Records that a scan gave no result. Earlier findings stay. Synchronous, for a transaction. */
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

/** Queues a scan again. Synchronous, for a transaction; call `jobsChanged("work")` after the commit. */
export function scanAgain(id: string): void {
  prepared(
    `INSERT INTO jobs (video_id, kind, priority) VALUES (@id, 'scan', @priority)
     ON CONFLICT (video_id, kind) DO UPDATE SET state = 'waiting', priority = @priority, attempts = 0,
       reason = NULL, progress = 0, finished_at = NULL, run_after = @now WHERE state <> 'running'`,
  ).run({ id, priority: PRIORITIES.scan, now: new Date().toISOString() });
}

/**
 * Ends the scan of a video or of a replacement file after somebody has decided: deletes the findings and ignores the
 * result of a running scan. Synchronous, for a transaction.
 */
export function endScan(id: string): void {
  prepared("DELETE FROM scan_findings WHERE video_id = ?").run(id);
  prepared(
    `UPDATE jobs SET state = 'done', worker = NULL, lease_until = NULL, reason = NULL, finished_at = ?
     WHERE video_id = ? AND kind = 'scan'`,
  ).run(new Date().toISOString(), id);
  releaseHold({ videoId: id, reason: "scan" });
}
