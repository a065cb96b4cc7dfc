import type { Migration } from "../migrate.server";

const trigger = (name: string, on: string) => `
    CREATE TRIGGER ${name} AFTER ${on} ON videos
      WHEN NEW.status = 'published'
        AND EXISTS (SELECT 1 FROM video_holds WHERE video_id = NEW.id) BEGIN
      UPDATE videos SET status = 'hidden' WHERE id = NEW.id;
      INSERT INTO activities (action, subject_id, detail) VALUES ('hold-kept', NEW.id, NEW.title);
    END;`;

/** One hold for each report, so that releasing the hold of one never releases that of another. */
export const migration: Migration = {
  name: "0252-hold-sources",
  sql: /* sql */ `
    DROP TRIGGER videos_held_changed;
    DROP TRIGGER videos_held_entered;
    CREATE TABLE new_video_holds (
      video_id      TEXT NOT NULL,
      reason        TEXT NOT NULL CHECK (reason IN
                      ('report', 'removed', 'consent', 'block-list', 'user-blocked', 'comparing')),
      -- The id of the report; empty for a reason that a video has only once.
      source_id     TEXT NOT NULL DEFAULT '',
      since         TEXT NOT NULL,
      -- 1 when it was public, or has become due since: it is published when its last hold goes.
      was_published INTEGER NOT NULL DEFAULT 0 CHECK (was_published IN (0, 1)),
      PRIMARY KEY (video_id, reason, source_id)
    ) WITHOUT ROWID;
    INSERT INTO new_video_holds
      SELECT video_id, reason, coalesce(report_id, ''), since, was_published FROM video_holds;
    DROP TABLE video_holds;
    ALTER TABLE new_video_holds RENAME TO video_holds;
    CREATE INDEX video_holds_comparing ON video_holds (video_id) WHERE reason = 'comparing';
    ${trigger("videos_held_changed", "UPDATE OF id, status")}
    ${trigger("videos_held_entered", "INSERT")}
  `,
};
