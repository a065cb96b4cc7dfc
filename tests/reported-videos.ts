import type Sqlite from "better-sqlite3";
import type { ReportKind } from "~db/schema/moderation";

let lastNumber = 0;

/** Adds a report about a video, with the decision still pending. */
export function addOpenReport(
  database: Sqlite.Database,
  report: { id: string; kind: ReportKind; videoId: string; dueAt?: string },
): void {
  database
    .prepare(
      `INSERT INTO reports (id, kind, received_at, due_at)
       VALUES (@id, @kind, '2026-01-01T00:00:00.000Z', @dueAt)`,
    )
    .run({ dueAt: "2999-01-01T00:00:00.000Z", ...report });
  database
    .prepare("INSERT INTO report_videos (report_id, video_id) VALUES (@id, @videoId)")
    .run(report);
}

/** Adds a report that a moderator closed with "Keep", so that the video counts as reviewed for that kind of report. */
export function addKeptReport(database: Sqlite.Database, videoId: string, kind: ReportKind): void {
  lastNumber += 1;
  const id = `kept ${lastNumber}`;
  addOpenReport(database, { id, kind, videoId });
  database
    .prepare(
      "UPDATE reports SET state = 'closed', decision = 'keep', closed_at = due_at WHERE id = ?",
    )
    .run(id);
  database
    .prepare(
      "UPDATE report_videos SET decision = 'keep', decided_at = '2026-01-01' WHERE report_id = ?",
    )
    .run(id);
}
