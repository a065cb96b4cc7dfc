import type { Migration } from "../migrate.server";
import { catalogue } from "./baseline-catalogue";

/**
 * One row for each conversion of a video. Rows of videos that other tools insert have none.
 *
 * @param kinds texts of SQL: a migration that adds one makes the table anew.
 */
export const jobsOf = (kinds: string) => /* sql */ `
  CREATE TABLE jobs (
    id           INTEGER PRIMARY KEY,
    video_id     TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN
                   (${kinds})),
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
`;
export const jobs = jobsOf(
  "'transcode', 'captions', 'poster', 'storyboard', 'preview', 'ladder', 'cleanup'",
);

/** Accounts and files: all but jobs and the catalogue, which `baseline-catalogue.ts` has. */
const others = /* sql */ `
  CREATE TABLE users (
    id             TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    email          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    password_hash  TEXT NOT NULL,
    created_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- The second factor: its secret encrypted, and the last time step whose code was accepted
    -- (RFC 6238 section 5.2: a code is good once).
    totp_secret     TEXT,
    totp_enabled_at TEXT,
    totp_last_step  INTEGER
  );

  -- SHA-256 of each recovery code; used codes are removed.
  CREATE TABLE recovery_codes (
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (user_id, code_hash)
  ) WITHOUT ROWID;

  -- The cookie holds the id, the table its SHA-256, so that a stolen database opens no session.
  CREATE TABLE sessions (
    id_hash      TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    last_used_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    expires_at   TEXT NOT NULL,
    -- What an admin recognises a session by, such as 'Firefox on Linux'.
    device       TEXT NOT NULL DEFAULT ''
  );
  CREATE INDEX sessions_by_user ON sessions (user_id);
  CREATE INDEX sessions_by_expiry ON sessions (expires_at);

  -- What admins did, newest last. Nothing about visitors ever stands here. What somebody did
  -- outlives the account and the video, so neither is a foreign key.
  CREATE TABLE activities (
    id         INTEGER PRIMARY KEY,
    user_id    TEXT,
    action     TEXT NOT NULL,
    subject_id TEXT,
    detail     TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  );

  -- What has been taken over from folders of the server: a file that has not changed since is not
  -- read again. A row without finished_at is of a run that has not come to its end.
  CREATE TABLE imports (
    source      TEXT PRIMARY KEY NOT NULL,
    bytes       INTEGER NOT NULL,
    modified_ms REAL NOT NULL,
    video_id    TEXT NOT NULL,
    -- Inside the bucket videos.
    target      TEXT NOT NULL,
    process     INTEGER NOT NULL,
    started_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    finished_at TEXT
  ) WITHOUT ROWID;
  CREATE INDEX imports_unfinished ON imports (source) WHERE finished_at IS NULL;

  -- The files of the two buckets and what they take on disk. A folder of derived files may be one
  -- row. video_id is null for a file that no video claims.
  CREATE TABLE media_files (
    bucket   TEXT NOT NULL CHECK (bucket IN ('videos', 'thumbnails')),
    path     TEXT NOT NULL,
    video_id TEXT,
    kind     TEXT NOT NULL CHECK (kind IN ('video', 'source', 'thumbnail', 'derived')),
    bytes    INTEGER NOT NULL CHECK (bytes >= 0),
    PRIMARY KEY (bucket, path)
  ) WITHOUT ROWID;
  CREATE INDEX media_files_by_video ON media_files (video_id);

  -- One row: the sum of media_files, and when the disk was last walked and compared with them.
  CREATE TABLE storage (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    bytes      INTEGER NOT NULL DEFAULT 0,
    checked_at TEXT
  );
  INSERT INTO storage (id) VALUES (1);

  -- Views of a day: a number for each video, and nothing about who watched.
  CREATE TABLE view_days (
    video_id TEXT NOT NULL,
    day      TEXT NOT NULL,
    views    INTEGER NOT NULL,
    PRIMARY KEY (video_id, day)
  ) WITHOUT ROWID;
  CREATE INDEX view_days_by_day ON view_days (day, video_id, views);

  -- What was deleted and can still be brought back: the row as it was, and where its files are.
  CREATE TABLE deleted_videos (
    id         TEXT PRIMARY KEY NOT NULL,
    title      TEXT NOT NULL,
    row        TEXT NOT NULL CHECK (json_valid(row)),
    files      TEXT NOT NULL CHECK (json_valid(files)),
    deleted_by TEXT,
    deleted_at TEXT NOT NULL
  );
  CREATE INDEX deleted_videos_by_age ON deleted_videos (deleted_at);

  -- SHA-256 of the bytes that were uploaded, so that the same file is recognised when it comes
  -- again. A row stays while its deleted video may be brought back.
  CREATE TABLE video_digests (
    video_id TEXT PRIMARY KEY NOT NULL,
    sha256   TEXT NOT NULL CHECK (length(sha256) = 64)
  ) WITHOUT ROWID;
  CREATE INDEX video_digests_by_sha256 ON video_digests (sha256);
`;

/** The whole schema of an empty database. */
export const migration: Migration = { name: "0200-baseline", sql: others + jobs + catalogue };
