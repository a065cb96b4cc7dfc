/** Series, tags, trash, review, imports, statistics, backups and alerts. */
export const studio = /* sql */ `
  -- Ordered playlists.
  CREATE TABLE series (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    title       TEXT NOT NULL,
    slug        TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL DEFAULT '',
    visibility  TEXT NOT NULL DEFAULT 'studio',
    -- Increases with each change, so that outdated forms are detected.
    version     INTEGER NOT NULL DEFAULT 1,
    created_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- Set while the series is in the trash.
    deleted_at  TEXT
  );
  CREATE UNIQUE INDEX series_by_title ON series (title COLLATE NOCASE) WHERE deleted_at IS NULL;
  CREATE INDEX series_by_change ON series (updated_at, id) WHERE deleted_at IS NULL;
  CREATE INDEX series_deleted ON series (deleted_at) WHERE deleted_at IS NOT NULL;

  -- Every slug that a series has or had, so that shared links keep working.
  CREATE TABLE series_slugs (
    slug      TEXT PRIMARY KEY NOT NULL,
    series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE
  ) WITHOUT ROWID;
  CREATE INDEX series_slugs_by_series ON series_slugs (series_id);

  -- No foreign key to videos: a video that is restored from the trash returns to its position, and another tool may
  -- replace a row.
  CREATE TABLE series_videos (
    series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    video_id  TEXT NOT NULL,
    position  INTEGER NOT NULL,
    PRIMARY KEY (series_id, video_id)
  ) WITHOUT ROWID;
  CREATE INDEX series_videos_in_order ON series_videos (series_id, position, video_id);
  CREATE INDEX series_videos_by_video ON series_videos (video_id, series_id);

  -- The series on the home page. The table has at most one row.
  CREATE TABLE featured_series (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE
  );
  CREATE INDEX featured_series_by_series ON featured_series (series_id);

  -- alias and tag are folded, as searched text is. No alias is the tag of another alias.
  CREATE TABLE tag_aliases (
    alias TEXT PRIMARY KEY NOT NULL,
    tag   TEXT NOT NULL CHECK (tag <> alias),
    label TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX tag_aliases_by_tag ON tag_aliases (tag);

  -- Tag changes that apply to all videos, kept so that they can be undone, and completed after a restart.
  CREATE TABLE tag_changes (
    id         INTEGER PRIMARY KEY,
    -- The folded tags, as a JSON list, and the tags as they are displayed.
    tags       TEXT NOT NULL CHECK (json_valid(tags)),
    names      TEXT NOT NULL,
    -- The new tag; null if they were removed.
    target     TEXT,
    -- The replaced aliases, as a JSON list of rows.
    aliases    TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(aliases)),
    state      TEXT NOT NULL DEFAULT 'running',
    user_id    TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  );
  CREATE TABLE tag_change_videos (
    change_id INTEGER NOT NULL REFERENCES tag_changes (id) ON DELETE CASCADE,
    video_id  TEXT NOT NULL,
    before    TEXT NOT NULL,
    after     TEXT,
    PRIMARY KEY (change_id, video_id)
  ) WITHOUT ROWID;

  -- The trash: the deleted row of each video, whose files stay where they are.
  CREATE TABLE deleted_videos (
    id          TEXT PRIMARY KEY NOT NULL,
    title       TEXT NOT NULL,
    row         TEXT NOT NULL CHECK (json_valid(row)),
    deleted_by  TEXT,
    deleted_at  TEXT NOT NULL,
    -- The size of the files.
    bytes       INTEGER NOT NULL DEFAULT 0,
    uploaded_by TEXT GENERATED ALWAYS AS
                  (CASE WHEN json_valid(row) THEN json_extract(row, '$.uploaded_by') END) VIRTUAL
  );
  CREATE INDEX deleted_videos_by_video_url ON deleted_videos (json_extract(row, '$.video_url'));
  CREATE INDEX deleted_videos_by_source_url ON deleted_videos (json_extract(row, '$.source_url'));
  CREATE INDEX deleted_videos_by_thumbnail_url ON deleted_videos (json_extract(row, '$.thumbnail_url'));
  CREATE INDEX deleted_videos_by_age ON deleted_videos (deleted_at, id, title, bytes, deleted_by);
  CREATE INDEX deleted_videos_by_uploader
    ON deleted_videos (uploaded_by, deleted_at, id, title, bytes, deleted_by)
    WHERE uploaded_by IS NOT NULL;

  -- Notes about drafts.
  CREATE TABLE review_notes (
    id         INTEGER PRIMARY KEY,
    video_id   TEXT NOT NULL,
    user_id    TEXT,
    text       TEXT NOT NULL,
    created_at TEXT NOT NULL
  );
  CREATE INDEX review_notes_by_video ON review_notes (video_id, id);

  -- Links that let anyone watch a draft.
  CREATE TABLE preview_links (
    -- SHA-256 of the token in the link, so that a stolen database doesn't reveal drafts.
    token_hash     TEXT PRIMARY KEY NOT NULL,
    video_id       TEXT NOT NULL,
    created_by        TEXT,
    created_at     TEXT NOT NULL,
    views          INTEGER NOT NULL DEFAULT 0,
    last_viewed_at TEXT
  ) WITHOUT ROWID;
  CREATE INDEX preview_links_by_video ON preview_links (video_id);

  -- Files imported from folders on the server. Unchanged files aren't read again. A row without finished_at
  -- belongs to a run that is in progress or was interrupted.
  CREATE TABLE imports (
    source      TEXT PRIMARY KEY NOT NULL,
    bytes       INTEGER NOT NULL,
    modified_ms REAL NOT NULL,
    video_id    TEXT NOT NULL,
    -- The path in the 'videos' bucket.
    target      TEXT NOT NULL,
    process     INTEGER NOT NULL,
    started_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    finished_at TEXT
  ) WITHOUT ROWID;
  CREATE INDEX imports_unfinished ON imports (source) WHERE finished_at IS NULL;

  -- Videos that are imported from a URL.
  CREATE TABLE downloads (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    address    TEXT NOT NULL,
    -- {title, description, category, tags}
    texts      TEXT NOT NULL CHECK (json_valid(texts)),
    -- The id of the imported video.
    status     TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'waiting',
    -- Why it failed.
    reason     TEXT,
    video_id   TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- When it finished, failed or was canceled.
    finished_at TEXT,
    -- The upload terms that were accepted with the request.
    terms      INTEGER REFERENCES upload_terms (version)
  );
  CREATE INDEX downloads_finished ON downloads (finished_at) WHERE finished_at IS NOT NULL;
  CREATE INDEX downloads_unfinished ON downloads (id) WHERE state IN ('waiting', 'running');

  -- Views per video and day. Contains nothing about visitors.
  CREATE TABLE view_days (
    video_id TEXT NOT NULL,
    day      TEXT NOT NULL,
    views    INTEGER NOT NULL,
    PRIMARY KEY (video_id, day)
  ) WITHOUT ROWID;
  CREATE INDEX view_days_by_day ON view_days (day, video_id, views);

  -- Totals per video. Contains nothing about visitors or times.
  CREATE TABLE watched_parts (
    video_id TEXT PRIMARY KEY NOT NULL,
    views    INTEGER NOT NULL,
    -- For each 5% of the video, the number of views in which it was watched.
    parts    TEXT NOT NULL CHECK (json_array_length(parts) = 20)
  ) WITHOUT ROWID;

  -- The uploads folder's file system, as last measured on each day (UTC).
  CREATE TABLE disk_days (
    day        TEXT PRIMARY KEY NOT NULL,
    used_bytes INTEGER NOT NULL,
    free_bytes INTEGER NOT NULL
  ) WITHOUT ROWID;

  -- The number of bytes of video files sent on each day (UTC).
  CREATE TABLE transfer_days (
    day   TEXT PRIMARY KEY NOT NULL,
    bytes INTEGER NOT NULL
  ) WITHOUT ROWID;

  -- The backups in BACKUP_DIR.
  CREATE TABLE backups (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The scheduled time; null for a backup that a user requested.
    due_at      TEXT,
    -- Who requested it.
    user_id     TEXT,
    state       TEXT NOT NULL DEFAULT 'running',
    -- Its folder in BACKUP_DIR, once it is verified.
    name        TEXT,
    files       INTEGER NOT NULL DEFAULT 0,
    bytes       INTEGER NOT NULL DEFAULT 0,
    -- The size of the part that isn't hard-linked from an earlier backup.
    added_bytes INTEGER NOT NULL DEFAULT 0,
    -- The number of files that were copied again because they were damaged in an earlier backup.
    repaired    INTEGER NOT NULL DEFAULT 0,
    -- Why it failed.
    reason      TEXT,
    started_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    finished_at TEXT
  );
  CREATE INDEX backups_due ON backups (due_at) WHERE due_at IS NOT NULL;

  -- Problems that the operator must know about.
  CREATE TABLE alerts (
    id          TEXT PRIMARY KEY NOT NULL,
    kind        TEXT NOT NULL,
    message     TEXT NOT NULL,
    -- For failed jobs: when the last of them failed. For the transfer alert: its month and budget.
    until       TEXT,
    raised_at   TEXT NOT NULL,
    -- When the problem ended; null while it persists.
    resolved_at TEXT
  );
  CREATE INDEX alerts_by_time ON alerts (raised_at);
  CREATE INDEX alerts_open ON alerts (kind) WHERE resolved_at IS NULL;

  -- At most one row: the time up to which a copy of the database is complete (db/heartbeat.server.ts).
  CREATE TABLE heartbeat (
    id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    at TEXT NOT NULL
  );
`;
