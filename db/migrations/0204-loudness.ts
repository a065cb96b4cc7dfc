import type { Migration } from "../migrate.server";

/**
 * How loud a film is, and the job that measures it. The kinds of jobs are a CHECK, so their table is
 * made anew.
 */
export const migration: Migration = {
  name: "0204-loudness",
  sql: /* sql */ `
    -- LUFS (EBU R128) and dBTP of the sound; null until they are measured, -70 where there is none.
    ALTER TABLE videos ADD COLUMN loudness REAL;
    ALTER TABLE videos ADD COLUMN true_peak REAL;

    -- Renaming it would rename it in the triggers too.
    CREATE TEMP TABLE jobs_before AS SELECT * FROM jobs;
    DROP TABLE jobs;
    CREATE TABLE jobs (
      id           INTEGER PRIMARY KEY,
      video_id     TEXT NOT NULL,
      kind         TEXT NOT NULL CHECK (kind IN ('transcode', 'captions', 'poster', 'storyboard',
                     'preview', 'loudness', 'ladder', 'cleanup')),
      -- The lower runs first.
      priority     INTEGER NOT NULL,
      state        TEXT NOT NULL DEFAULT 'waiting'
                     CHECK (state IN ('waiting', 'running', 'done', 'failed')),
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
    INSERT INTO jobs SELECT * FROM temp.jobs_before;
    DROP TABLE temp.jobs_before;
    CREATE INDEX jobs_unfinished ON jobs (priority, created_at, id)
      WHERE state IN ('waiting', 'running');
    CREATE INDEX jobs_by_state ON jobs (state, finished_at);
  `,
};
