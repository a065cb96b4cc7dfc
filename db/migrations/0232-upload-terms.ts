import type { Migration } from "../migrate.server";

/** What uploaders agree to, what they have agreed to, and what moderators have decided about their videos. */
export const migration: Migration = {
  name: "0232-upload-terms",
  sql: /* sql */ `
    CREATE TABLE upload_terms (
      version    INTEGER PRIMARY KEY NOT NULL CHECK (version > 0),
      text       TEXT NOT NULL,
      created_at TEXT NOT NULL,
      created_by TEXT REFERENCES users (id) ON DELETE SET NULL
    );
    CREATE TRIGGER upload_terms_kept BEFORE UPDATE OF version, text, created_at ON upload_terms BEGIN
      SELECT RAISE(ABORT, 'a version of the terms is never changed');
    END;
    CREATE TRIGGER upload_terms_complete BEFORE DELETE ON upload_terms BEGIN
      SELECT RAISE(ABORT, 'a version of the terms is never deleted');
    END;
    -- INSERT OR REPLACE deletes without that trigger.
    CREATE TRIGGER upload_terms_appended BEFORE INSERT ON upload_terms
      WHEN EXISTS (SELECT 1 FROM upload_terms WHERE version = NEW.version) BEGIN
      SELECT RAISE(ABORT, 'a version of the terms is never changed');
    END;

    CREATE TABLE upload_terms_state (
      id             INTEGER PRIMARY KEY CHECK (id = 1),
      -- Null while nobody is asked to accept them.
      required_since TEXT
    );
    INSERT INTO upload_terms_state VALUES (1, NULL);

    -- No foreign key to videos: it stays for a year after the video.
    CREATE TABLE accepted_terms (
      id            INTEGER PRIMARY KEY,
      video_id      TEXT NOT NULL,
      -- For the video, or for another file of it.
      subject       TEXT NOT NULL CHECK (subject IN ('video', 'file')),
      version       INTEGER NOT NULL REFERENCES upload_terms (version),
      user_id       TEXT REFERENCES users (id) ON DELETE SET NULL,
      accepted_at   TEXT NOT NULL,
      -- When the video was found to be deleted for good.
      video_gone_at TEXT
    );
    CREATE INDEX accepted_terms_by_video ON accepted_terms (video_id, id);
    CREATE INDEX accepted_terms_gone ON accepted_terms (video_gone_at) WHERE video_gone_at IS NOT NULL;

    -- What waits to be fetched was asked for with these terms.
    ALTER TABLE downloads ADD COLUMN terms INTEGER REFERENCES upload_terms (version);

    CREATE TABLE uploader_decisions (
      id         INTEGER PRIMARY KEY,
      user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      report_id  TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
      -- No foreign key: a video may go, and what was decided about it stays to be read.
      video_id   TEXT NOT NULL,
      decision   TEXT NOT NULL
                   CHECK (decision IN ('hide', 'keep', 'remove', 'counter-notice', 'restore')),
      decided_at TEXT NOT NULL,
      -- The title of the video and the reason, encrypted.
      box        TEXT NOT NULL
    );
    CREATE INDEX uploader_decisions_by_user ON uploader_decisions (user_id, id);
    CREATE INDEX uploader_decisions_by_report ON uploader_decisions (report_id);
    CREATE INDEX uploader_decisions_by_time ON uploader_decisions (decided_at);
  `,
};
