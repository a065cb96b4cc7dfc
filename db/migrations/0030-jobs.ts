import type { Migration } from "../migrate.server";

export const migration: Migration = {
  name: "0030-jobs",
  sql: /* sql */ `
    -- What is made from a video. All may be null: a row needs none of them to be shown.
    -- source_url: the file as it came, where video_url is empty yet or names a converted one.
    ALTER TABLE videos ADD COLUMN source_url TEXT;
    ALTER TABLE videos ADD COLUMN hls_url TEXT;
    ALTER TABLE videos ADD COLUMN storyboard_url TEXT;
    ALTER TABLE videos ADD COLUMN preview_url TEXT;
    CREATE TRIGGER videos_changed_by_making AFTER UPDATE OF
      source_url, hls_url, storyboard_url, preview_url ON videos BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;

    -- One row for each thing to be made of a video. Rows of videos that other tools insert have
    -- none, and want none.
    CREATE TABLE jobs (
      id           INTEGER PRIMARY KEY,
      video_id     TEXT NOT NULL,
      kind         TEXT NOT NULL CHECK (kind IN
                     ('playable', 'poster', 'storyboard', 'preview', 'ladder', 'tidy')),
      -- The lower runs first.
      priority     INTEGER NOT NULL,
      state        TEXT NOT NULL DEFAULT 'waiting'
                     CHECK (state IN ('waiting', 'running', 'done', 'parked')),
      -- Starts that have not come to a good end.
      attempts     INTEGER NOT NULL DEFAULT 0,
      run_after    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      -- Who runs it, and until when that is believed without another sign of life.
      worker       TEXT,
      lease_until  TEXT,
      -- 0 to 1.
      progress     REAL NOT NULL DEFAULT 0,
      -- Seconds of video made in a second.
      speed        REAL,
      seconds_left REAL,
      -- Why the last attempt failed.
      reason       TEXT,
      created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      started_at   TEXT,
      finished_at  TEXT,
      UNIQUE (video_id, kind)
    );
    CREATE INDEX jobs_unfinished ON jobs (priority, created_at, id)
      WHERE state IN ('waiting', 'running');
    CREATE INDEX jobs_by_state ON jobs (state, finished_at);

    -- A trigger and no foreign key: it holds for the sqlite3 shell too, which does not enforce keys.
    CREATE TRIGGER jobs_gone_with_their_video AFTER DELETE ON videos BEGIN
      DELETE FROM jobs WHERE video_id = OLD.id;
    END;
  `,
};
