import type { Migration } from "../migrate.server";

export const migration: Migration = {
  name: "0100-captions",
  sql: /* sql */ `
    -- The captions of a video, a JSON list of {url, language, label, added}; null while nobody has
    -- looked for them. A column and not a table: it goes with its row into the trash and back.
    ALTER TABLE videos ADD COLUMN captions TEXT;
    CREATE TRIGGER videos_changed_by_captions AFTER UPDATE OF captions ON videos
      WHEN OLD.captions IS NOT NEW.captions BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;

    -- One more kind of job. A CHECK can't be changed, so the table is made anew.
    DROP TRIGGER jobs_gone_with_their_video;
    CREATE TABLE jobs_with_captions (
      id           INTEGER PRIMARY KEY,
      video_id     TEXT NOT NULL,
      kind         TEXT NOT NULL CHECK (kind IN
                     ('playable', 'captions', 'poster', 'storyboard', 'preview', 'ladder', 'tidy')),
      priority     INTEGER NOT NULL,
      state        TEXT NOT NULL DEFAULT 'waiting'
                     CHECK (state IN ('waiting', 'running', 'done', 'parked')),
      attempts     INTEGER NOT NULL DEFAULT 0,
      run_after    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      worker       TEXT,
      lease_until  TEXT,
      progress     REAL NOT NULL DEFAULT 0,
      speed        REAL,
      seconds_left REAL,
      reason       TEXT,
      created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      started_at   TEXT,
      finished_at  TEXT,
      UNIQUE (video_id, kind)
    );
    INSERT INTO jobs_with_captions SELECT
      id, video_id, kind, priority, state, attempts, run_after, worker, lease_until, progress,
      speed, seconds_left, reason, created_at, started_at, finished_at FROM jobs;
    DROP TABLE jobs;
    ALTER TABLE jobs_with_captions RENAME TO jobs;
    CREATE INDEX jobs_unfinished ON jobs (priority, created_at, id)
      WHERE state IN ('waiting', 'running');
    CREATE INDEX jobs_by_state ON jobs (state, finished_at);
    CREATE TRIGGER jobs_gone_with_their_video AFTER DELETE ON videos BEGIN
      DELETE FROM jobs WHERE video_id = OLD.id;
    END;
  `,
};
