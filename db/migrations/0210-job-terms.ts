import type { Migration } from "../migrate.server";

/**
 * Jobs by the terms of the field: `playable` becomes `transcode`, `tidy` becomes `cleanup`, and a job
 * that is `parked` has `failed`. SQLite cannot change a CHECK, so the table is created anew; it is not
 * renamed, because a trigger on `videos` names it.
 */
export const migration: Migration = {
  name: "0210-job-terms",
  sql: /* sql */ `
  CREATE TABLE jobs_before AS SELECT * FROM jobs;
  DROP TABLE jobs;

  CREATE TABLE jobs (
    id           INTEGER PRIMARY KEY,
    video_id     TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN
                   ('transcode', 'captions', 'poster', 'storyboard', 'preview', 'ladder', 'cleanup')),
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
  CREATE INDEX jobs_unfinished ON jobs (priority, created_at, id)
    WHERE state IN ('waiting', 'running');
  CREATE INDEX jobs_by_state ON jobs (state, finished_at);

  INSERT INTO jobs (id, video_id, kind, priority, state, attempts, run_after, worker, lease_until, progress, speed,
    seconds_left, reason, created_at, started_at, finished_at)
  SELECT id, video_id,
    CASE kind WHEN 'playable' THEN 'transcode' WHEN 'tidy' THEN 'cleanup' ELSE kind END, priority,
    CASE state WHEN 'parked' THEN 'failed' ELSE state END, attempts, run_after, worker, lease_until,
    progress, speed, seconds_left, reason, created_at, started_at, finished_at
  FROM jobs_before;
  DROP TABLE jobs_before;`,
};
