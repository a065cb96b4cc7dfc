import type Sqlite from "better-sqlite3";
import type { ReportKind } from "~db/schema/reports";

let entered = 0;

/** Enters a report that a moderator has closed with "Keep": for that kind, the video has been looked at. */
export function addKeptReport(database: Sqlite.Database, videoId: string, kind: ReportKind): void {
  entered += 1;
  const id = `kept ${entered}`;
  const at = "2026-01-01T00:00:00.000Z";
  database
    .prepare(
      `INSERT INTO reports (id, kind, state, decision, received_at, due_at, closed_at)
       VALUES (@id, @kind, 'closed', 'keep', @at, @at, @at)`,
    )
    .run({ id, kind, at });
  database
    .prepare(
      `INSERT INTO report_videos (report_id, video_id, decision, decided_at)
       VALUES (@id, @videoId, 'keep', @at)`,
    )
    .run({ id, videoId, at });
}
