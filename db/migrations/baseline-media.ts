/**
 * Video files, the jobs that create them, and the digests and fingerprints that are used to recognize repeated uploads.
 */
export const media = /* sql */ `
  -- Rows of videos that other tools insert have no jobs.
  CREATE TABLE jobs (
    id            INTEGER PRIMARY KEY,
    video_id      TEXT NOT NULL,
    kind          TEXT NOT NULL,
    -- The job with the lowest value runs first.
    priority      INTEGER NOT NULL,
    state         TEXT NOT NULL DEFAULT 'waiting',
    -- The number of failed attempts.
    attempts      INTEGER NOT NULL DEFAULT 0,
    run_after     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- The process or machine that runs the job, and when its lease ends.
    worker        TEXT,
    lease_until   TEXT,
    -- 0 to 1.
    progress      REAL NOT NULL DEFAULT 0,
    -- Seconds of video processed per second.
    speed         REAL,
    seconds_left  REAL,
    -- Why the last attempt failed.
    reason        TEXT,
    created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    started_at    TEXT,
    finished_at   TEXT,
    -- The number of consecutive leases that ended without a result.
    worker_losses INTEGER NOT NULL DEFAULT 0,
    UNIQUE (video_id, kind)
  );
  CREATE INDEX jobs_unfinished ON jobs (priority, created_at, id)
    WHERE state IN ('waiting', 'running');
  CREATE INDEX jobs_by_state ON jobs (state, finished_at);
  -- Counts the queued jobs of each kind.
  CREATE INDEX jobs_waiting ON jobs (kind) WHERE state = 'waiting';

  CREATE TABLE queue_state (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    -- Null unless the queue is paused. Survives a restart.
    paused_at TEXT
  );
  INSERT INTO queue_state VALUES (1, NULL);

  -- The result of running SCAN_COMMAND on a file, which is kept until a moderator has made a decision.
  CREATE TABLE scan_findings (
    -- The video, or the row of video_files that replaces its file.
    video_id TEXT PRIMARY KEY NOT NULL,
    -- unchecked: the command returned no result and will be run again.
    verdict  TEXT NOT NULL,
    -- The command's output, or the reason why there is no result. It is untrusted.
    reason   TEXT NOT NULL,
    found_at TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX scan_findings_by_verdict ON scan_findings (verdict, found_at);

  -- Machines that encode for the site (docs/how-to/workers.md).
  CREATE TABLE workers (
    id           INTEGER PRIMARY KEY,
    -- SHA-256 of the token, so that a stolen database doesn't give access.
    token_hash   TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL UNIQUE,
    created_at   TEXT NOT NULL,
    last_seen_at TEXT,
    jobs_done    INTEGER NOT NULL DEFAULT 0,
    trouble      TEXT
  );

  -- The files in both buckets with their sizes. A folder of derived files may be one row. video_id is null for
  -- a file without a video. Code that writes a file also writes its row.
  CREATE TABLE media_files (
    bucket   TEXT NOT NULL,
    path     TEXT NOT NULL,
    video_id TEXT,
    kind     TEXT NOT NULL,
    bytes    INTEGER NOT NULL CHECK (bytes >= 0),
    -- Whether all of its files are in the store: 1 yes, 0 not yet, below 0 while they are being moved.
    stored   INTEGER NOT NULL DEFAULT 0,
    -- 1 once the file has no metadata about location, device or author; 0 if it hasn't been checked.
    clean    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket, path)
  ) WITHOUT ROWID;
  CREATE INDEX media_files_by_video ON media_files (video_id);
  CREATE INDEX media_files_due ON media_files (bucket, path) WHERE stored < 1;

  -- The files in the object store at STORAGE_URL. All other files are only on the disk. Copies of stored files on the
  -- disk may be evicted.
  CREATE TABLE stored_files (
    bucket      TEXT NOT NULL,
    path        TEXT NOT NULL,
    -- The object's key. It contains 64 random bits, so keys are never reused.
    object      TEXT NOT NULL,
    bytes       INTEGER NOT NULL,
    -- Hexadecimal.
    sha256      TEXT NOT NULL,
    -- The entity tag from before the file was moved into the store, without its quotes.
    version     TEXT NOT NULL,
    modified_ms INTEGER NOT NULL,
    -- The content type, which for a MOV depends on its first bytes.
    type        TEXT NOT NULL,
    PRIMARY KEY (bucket, path)
  ) WITHOUT ROWID;
  CREATE INDEX stored_files_by_object ON stored_files (object);

  -- Files and objects that nothing refers to anymore. media/files/removals.server.ts checks that again before it
  -- removes them. A path in the bucket 'store' is the key of an object.
  CREATE TABLE removals (
    id         INTEGER PRIMARY KEY,
    bucket     TEXT NOT NULL,
    path       TEXT NOT NULL,
    reason     TEXT NOT NULL,
    -- 1 if a person requested it for this video. Such a removal is never paused.
    is_ordered INTEGER NOT NULL CHECK (is_ordered IN (0, 1)),
    created_at TEXT NOT NULL,
    not_before TEXT NOT NULL,
    UNIQUE (bucket, path)
  );
  CREATE INDEX removals_due ON removals (not_before, id);

  CREATE TABLE storage (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    -- The sum of media_files.
    bytes           INTEGER NOT NULL DEFAULT 0,
    -- When the disk was last compared with media_files.
    checked_at      TEXT,
    -- When the last complete search for missing files started.
    files_looked_at TEXT,
    -- site.json in the uploads folder contains the same values, so that the site can check at startup whether the
    -- database and the folder belong together and have the same age. The id is empty until the first start. The clock
    -- advances while the site is running.
    site_id         TEXT NOT NULL DEFAULT '',
    clock           INTEGER NOT NULL DEFAULT 0,
    -- 1 once move-storage has started to move all files back to the disk. Nothing is moved into the store then.
    moving_to_disk    INTEGER NOT NULL DEFAULT 0 CHECK (moving_to_disk IN (0, 1))
  );
  INSERT INTO storage (id) VALUES (1);

  -- Videos with a file that wasn't on the disk in the last search, by videos.number. Only
  -- features/operations/library-check/missing-files.server.ts writes it.
  CREATE TABLE missing_files (
    number INTEGER PRIMARY KEY REFERENCES videos (number) ON DELETE CASCADE
  );

  -- Other files of a video: its replacement, and files that were replaced. Jobs and media_files refer to a row by its
  -- id, as they do to a video.
  CREATE TABLE video_files (
    id                   TEXT PRIMARY KEY NOT NULL,
    video_id             TEXT NOT NULL,
    -- pending: replaces the video's file once processing is complete. earlier: was replaced, and can be
    -- restored. original: the video's file is trimmed from it; like earlier, but not in the trash. removed: its
    -- files are gone, or enqueued in removals, and its URL redirects to the current file.
    state                TEXT NOT NULL,
    user_id              TEXT,
    created_at           TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- Null if it has never been the video's current file.
    replaced_at          TEXT,
    -- The same as in videos.
    duration             TEXT NOT NULL DEFAULT '0:00',
    video_url            TEXT NOT NULL DEFAULT '',
    source_url           TEXT,
    thumbnail_url        TEXT,
    poster_colors        TEXT,
    generated_poster_url TEXT,
    hls_url              TEXT,
    hls_settings         TEXT,
    source_removed_at    TEXT,
    storyboard_url       TEXT,
    preview_url          TEXT,
    captions             TEXT,
    loudness             REAL,
    true_peak            REAL,
    bytes                INTEGER NOT NULL DEFAULT 0,
    -- The digest of the uploaded file.
    sha256               TEXT,
    -- The same as in videos.
    cut_of               TEXT,
    cut_start            REAL,
    cut_end              REAL,
    -- The watched_parts from the time when it was the video's current file.
    watched              TEXT
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX video_files_pending ON video_files (video_id) WHERE state = 'pending';
  CREATE INDEX video_files_by_video ON video_files (video_id);
  -- The total size of uploaded and replaced files.
  CREATE INDEX video_files_by_user ON video_files (user_id, bytes) WHERE user_id IS NOT NULL;
  CREATE INDEX video_files_by_url ON video_files (video_url);
  CREATE INDEX video_files_by_source_url ON video_files (source_url) WHERE source_url IS NOT NULL;
  CREATE INDEX video_files_by_thumbnail_url ON video_files (thumbnail_url)
    WHERE thumbnail_url IS NOT NULL;
  CREATE TRIGGER video_files_deleted AFTER DELETE ON video_files BEGIN
    DELETE FROM scan_findings WHERE video_id = OLD.id;
  END;
  CREATE INDEX video_files_by_age ON video_files (state, replaced_at, id, video_id, bytes);

  -- SHA-256 of the uploaded bytes, to recognize duplicates. A row is kept while its deleted video can be
  -- restored.
  CREATE TABLE video_digests (
    video_id TEXT PRIMARY KEY NOT NULL,
    sha256   TEXT NOT NULL CHECK (length(sha256) = 64)
  ) WITHOUT ROWID;
  CREATE INDEX video_digests_by_sha256 ON video_digests (sha256);

  CREATE TABLE video_fingerprints (
    video_id TEXT PRIMARY KEY NOT NULL,
    seconds  REAL NOT NULL,
    -- 8 bytes for each of 16 frames; 0 for a frame without detail. Empty if too few frames have detail.
    hashes   BLOB NOT NULL
  );
  CREATE INDEX video_fingerprints_by_length ON video_fingerprints (seconds, video_id, hashes);

  -- Each pair is stored once.
  CREATE TABLE similar_videos (
    first        TEXT NOT NULL,
    second       TEXT NOT NULL CHECK (first < second),
    -- When someone marked the two as different videos.
    dismissed_at TEXT,
    PRIMARY KEY (first, second)
  ) WITHOUT ROWID;
  CREATE INDEX similar_videos_by_second ON similar_videos (second, first);
`;
