import type { Migration } from "../migrate.server";

/** All videos that a report names. Before, only the first was readable without the report's secret. */
export const migration: Migration = {
  name: "0251-report-videos",
  sql: /* sql */ `
    -- No foreign key on the video: it may be in the trash, or gone.
    CREATE TABLE report_videos (
      report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
      video_id  TEXT NOT NULL,
      PRIMARY KEY (report_id, video_id)
    );
    CREATE INDEX report_videos_by_video ON report_videos (video_id, report_id);
    -- What is known without decrypting. The site adds the rest at its start.
    INSERT INTO report_videos SELECT id, video_id FROM reports WHERE video_id IS NOT NULL;
    INSERT OR IGNORE INTO report_videos
      SELECT DISTINCT report_id, moderation_log.video_id
      FROM moderation_log JOIN reports ON reports.id = report_id
      WHERE moderation_log.video_id IS NOT NULL;
  `,
};
