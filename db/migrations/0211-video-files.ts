import type { Migration } from "../migrate.server";

/** The other files of a video: the one that is to come, and those that were replaced. */
export const migration: Migration = {
  name: "0211-video-files",
  sql: /* sql */ `
    -- The thumbnail that a job has made; any other was chosen by somebody. Of the rows before nobody
    -- knows, so theirs count as chosen.
    ALTER TABLE videos ADD COLUMN generated_poster_url TEXT;

    -- Jobs and media_files name a row of it as they name a video, by its id.
    CREATE TABLE video_files (
      id             TEXT PRIMARY KEY NOT NULL,
      video_id       TEXT NOT NULL,
      -- pending: it replaces the file of its video once all is made of it. earlier: it was replaced,
      -- and can come back. removing: its files are about to be removed. removed: they are gone, and its
      -- address leads to the file of today.
      state          TEXT NOT NULL CHECK (state IN ('pending', 'earlier', 'removing', 'removed')),
      user_id        TEXT,
      created_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      -- Null for one that never was the file of its video.
      replaced_at    TEXT,
      -- As videos has them.
      duration       TEXT NOT NULL DEFAULT '0:00',
      video_url      TEXT NOT NULL DEFAULT '',
      source_url     TEXT,
      thumbnail_url  TEXT,
      poster_colors  TEXT,
      generated_poster_url TEXT,
      hls_url        TEXT,
      hls_settings   TEXT,
      source_removed_at TEXT,
      storyboard_url TEXT,
      preview_url    TEXT,
      captions       TEXT,
      loudness       REAL,
      true_peak      REAL,
      bytes          INTEGER NOT NULL DEFAULT 0,
      -- Of the file that was uploaded.
      sha256         TEXT
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX video_files_pending ON video_files (video_id) WHERE state = 'pending';
    CREATE INDEX video_files_by_video ON video_files (video_id);
    CREATE INDEX video_files_by_url ON video_files (video_url);
    CREATE INDEX video_files_by_age ON video_files (state, replaced_at, id, video_id, bytes);
  `,
};
