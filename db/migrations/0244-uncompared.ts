import type { Migration } from "../migrate.server";

const trigger = (name: string, on: string) => `
    CREATE TRIGGER ${name} AFTER ${on} ON videos
      WHEN NEW.status = 'published'
        AND EXISTS (SELECT 1 FROM video_holds WHERE video_id = NEW.id) BEGIN
      UPDATE videos SET status = 'hidden' WHERE id = NEW.id;
      INSERT INTO activities (action, subject_id, detail) VALUES ('hold-kept', NEW.id, NEW.title);
    END;`;

/** Videos that are held until they have been compared with the block list. */
export const migration: Migration = {
  name: "0244-uncompared",
  sql: /* sql */ `
    -- The table of holds again, since a check can't be changed: with the reason 'comparing'.
    DROP TRIGGER videos_held_changed;
    DROP TRIGGER videos_held_entered;
    CREATE TABLE new_video_holds (
      video_id      TEXT NOT NULL,
      reason        TEXT NOT NULL CHECK (reason IN
                      ('report', 'removed', 'consent', 'block-list', 'user-blocked', 'comparing')),
      report_id     TEXT,
      since         TEXT NOT NULL,
      -- 1 when it was public, or has become due since: it is published when its last hold goes.
      was_published INTEGER NOT NULL DEFAULT 0 CHECK (was_published IN (0, 1)),
      PRIMARY KEY (video_id, reason)
    ) WITHOUT ROWID;
    INSERT INTO new_video_holds SELECT video_id, reason, report_id, since, was_published FROM video_holds;
    DROP TABLE video_holds;
    ALTER TABLE new_video_holds RENAME TO video_holds;
    CREATE INDEX video_holds_comparing ON video_holds (video_id) WHERE reason = 'comparing';
    ${trigger("videos_held_changed", "UPDATE OF id, status")}
    ${trigger("videos_held_entered", "INSERT")}
  `,
};
