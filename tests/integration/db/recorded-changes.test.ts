import { describe, expect, it, vi } from "vitest";
import { changeVideos } from "~/features/library/bulk/bulk.server";
import { discardFile } from "~/features/library/files/other-files.server";
import { performTrash } from "~/features/library/trash/trash-action.server";
import { decideReport } from "~/features/moderation/reports/decide.server";
import {
  addVideosToReport,
  endReportPreservation,
  eraseClosedReport,
  preserveReport,
  removeVideoFromReport,
} from "~/features/moderation/reports/report-forms.server";
import { readReport } from "~/features/moderation/reports/report-records.server";
import { reportVersion } from "~/features/moderation/reports/report-rules.server";
import { performQueue } from "~/features/processing/routes/queue-action.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { preserve } from "~/media/files/preserved.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { addVideo, useAdminSite } from "../../admin-requests";
import { addOpenReport } from "../../reported-videos";

/** Tests that an admin's change is rolled back if the activity log can't record it. */

useAdminSite();

const form = (fields: Record<string, string>) =>
  new Request("http://localhost/admin", { method: "POST", body: new URLSearchParams(fields) });

/** Returns every row of every table except search indexes. */
function rows(): Record<string, unknown[]> {
  const database = sqliteHandle();
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    .pluck()
    .all() as string[];
  const kept = tables.filter((name) => !/^(sqlite_|videos_fts|.*_fts_)/.test(name));
  return Object.fromEntries(
    kept.map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()]),
  );
}

function prepareSite(): void {
  addVideo({
    status: "published",
    video_url: "/media/videos/u/1.mp4",
    hls_url: "/media/videos/u/1/m.m3u8",
  });
  addVideo({ id: "w", title: "Another video", status: "published" });
  // This video must not have reports, because evidence is never deleted.
  addVideo({ id: "x", title: "A third video", status: "published" });
  addOpenReport(sqliteHandle(), { id: "r", kind: "copyright", videoId: "v" });
  for (const id of ["closed", "preserved"])
    addOpenReport(sqliteHandle(), { id, kind: "copyright", videoId: "w" });
  sqliteHandle().exec(`
    UPDATE reports SET state = 'closed', decision = 'keep', closed_at = due_at WHERE id <> 'r';
    UPDATE report_videos SET decision = 'keep', decided_at = '2026-01-01' WHERE report_id <> 'r';
    INSERT INTO deleted_videos (id, title, row, deleted_at)
      VALUES ('d', 'A deleted video', '{"id":"d","title":"A deleted video","category":"desi"}',
        '2026-01-01T00:00:00.000Z');
    INSERT INTO video_files (id, video_id, state, video_url) VALUES ('p', 'x', 'pending', '');
    INSERT INTO video_files (id, video_id, state, video_url, replaced_at)
      VALUES ('e', 'x', 'earlier', '', '2026-01-01T00:00:00.000Z')`);
}

const decision = () => ({
  decision: "hide" as const,
  reason: "It is not theirs.",
  videos: ["v"],
  version: reportVersion(readReport("r")!),
});

describe("if the activity can't be recorded", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["no decision is made on a report", () => decideReport("r", decision(), "u")],
    ["no video is added to a report", () => addVideosToReport("r", "w", "u")],
    ["no video is removed from a report", () => removeVideoFromReport("r", "v", "u")],
    ["a report is not preserved", () => preserveReport("r", "u")],
    ["a preservation is not ended", () => endReportPreservation("preserved", "u")],
    ["a report is not erased", () => eraseClosedReport("closed", "u")],
    ["a video is not restored", () => restoreVideos(["d"], "u")],
    [
      "a video is not permanently deleted",
      () => performTrash(form({ intent: "purge", selected: "d", confirmed: "1" }), "u"),
    ],
    [
      "an earlier file is not permanently deleted",
      () => performTrash(form({ intent: "purge-file", file: "e", confirmed: "1" }), "u"),
    ],
    [
      "the trash is not emptied",
      () => performTrash(form({ intent: "empty", until: "2026-02-01T00:00:00.000Z" }), "u"),
    ],
    ["videos are not deleted in bulk", () => changeVideos({ action: "delete" }, ["w", "x"], "u")],
    ["a pending file is not discarded", () => discardFile({ id: "p", videoId: "x" }, "u")],
    ["the queue is not paused", () => performQueue(form({ intent: "pause" }), "u")],
  ])("%s", async (_, change) => {
    prepareSite();
    await transaction(() => preserve("preserved", ["w"], "2999-01-01T00:00:00.000Z"));
    const before = rows();
    sqliteHandle().exec(
      "CREATE TRIGGER broken BEFORE INSERT ON activities BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    // Some forms return a failure, and log the reason.
    await change().catch((error: Error) => expect(error.message).toBe("full"));
    vi.mocked(console.error).mockClear();
    expect(rows()).toEqual(before);
    sqliteHandle().exec("DROP TRIGGER broken");
    await change();
    expect(rows().activities).toHaveLength(before.activities!.length + 1);
    expect(rows()).not.toEqual(before);
  });
});
