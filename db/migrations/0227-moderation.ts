import type { Migration } from "../migrate.server";

/** What moderators decide, in a log that nobody edits, and videos that nothing publishes. */
export const migration: Migration = {
  name: "0227-moderation",
  sql: /* sql */ `
    -- A chain: each entry holds the hash of the one before. No texts that somebody typed, no names.
    CREATE TABLE moderation_log (
      id        INTEGER PRIMARY KEY AUTOINCREMENT,
      at        TEXT NOT NULL,
      action    TEXT NOT NULL,
      report_id TEXT,
      video_id  TEXT,
      user_id   TEXT,
      -- A JSON object.
      detail    TEXT NOT NULL,
      -- SHA-256 in hexadecimal digits, as is hash; empty for the first.
      previous  TEXT NOT NULL,
      hash      TEXT NOT NULL
    );
    CREATE INDEX moderation_log_by_report ON moderation_log (report_id, id) WHERE report_id IS NOT NULL;
    CREATE INDEX moderation_log_by_video ON moderation_log (video_id, id) WHERE video_id IS NOT NULL;
    CREATE TRIGGER moderation_log_kept BEFORE UPDATE ON moderation_log BEGIN
      SELECT RAISE(ABORT, 'the moderation log is never changed');
    END;
    CREATE TRIGGER moderation_log_complete BEFORE DELETE ON moderation_log BEGIN
      SELECT RAISE(ABORT, 'the moderation log is never shortened');
    END;
    -- INSERT OR REPLACE deletes without that trigger.
    CREATE TRIGGER moderation_log_appended BEFORE INSERT ON moderation_log
      WHEN EXISTS (SELECT 1 FROM moderation_log WHERE id = NEW.id) BEGIN
      SELECT RAISE(ABORT, 'the moderation log is never changed');
    END;

    -- While a video has one, it is not published, whoever writes. No foreign key: it may be in the trash.
    CREATE TABLE video_holds (
      video_id      TEXT NOT NULL,
      reason        TEXT NOT NULL
                      CHECK (reason IN ('report', 'removed', 'consent', 'block-list', 'user-blocked')),
      report_id     TEXT,
      since         TEXT NOT NULL,
      -- 1 when it was public, or has become due since: it is published when its last hold goes.
      was_published INTEGER NOT NULL DEFAULT 0 CHECK (was_published IN (0, 1)),
      PRIMARY KEY (video_id, reason)
    ) WITHOUT ROWID;

    -- A person has looked at a video because of a kind of report.
    CREATE TABLE video_checks (
      video_id   TEXT NOT NULL,
      kind       TEXT NOT NULL,
      user_id    TEXT,
      checked_at TEXT NOT NULL,
      PRIMARY KEY (video_id, kind)
    ) WITHOUT ROWID;

    -- For what does not ask before it publishes, as another program that writes to this file.
    CREATE TRIGGER videos_held_changed AFTER UPDATE OF id, status ON videos
      WHEN NEW.status = 'published'
        AND EXISTS (SELECT 1 FROM video_holds WHERE video_id = NEW.id) BEGIN
      UPDATE videos SET status = 'hidden' WHERE id = NEW.id;
      INSERT INTO activities (action, subject_id, detail) VALUES ('hold-kept', NEW.id, NEW.title);
    END;
    CREATE TRIGGER videos_held_entered AFTER INSERT ON videos
      WHEN NEW.status = 'published'
        AND EXISTS (SELECT 1 FROM video_holds WHERE video_id = NEW.id) BEGIN
      UPDATE videos SET status = 'hidden' WHERE id = NEW.id;
      INSERT INTO activities (action, subject_id, detail) VALUES ('hold-kept', NEW.id, NEW.title);
    END;
  `,
};
