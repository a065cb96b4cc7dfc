import type { Migration } from "../migrate.server";

/**
 * The file of a video may be a cut of another one, its original, which stays as long as it is. The
 * states of files are a CHECK, so their table is made anew.
 */
export const migration: Migration = {
  name: "0220-cuts",
  sql: /* sql */ `
    -- {userId}/{uploadId} of the file that this one is a part of, and from which second to which.
    ALTER TABLE videos ADD COLUMN cut_of TEXT;
    ALTER TABLE videos ADD COLUMN cut_start REAL;
    ALTER TABLE videos ADD COLUMN cut_end REAL;

    CREATE TEMP TABLE video_files_before AS SELECT * FROM video_files;
    DROP TABLE video_files;
    CREATE TABLE video_files (
      id             TEXT PRIMARY KEY NOT NULL,
      video_id       TEXT NOT NULL,
      -- pending: it replaces the file of its video once all is made of it. earlier: it was replaced,
      -- and can come back. original: the file of its video is a cut of it; as earlier, but not in the
      -- trash. removing: its files are about to be removed. removed: they are gone, and its address
      -- leads to the file of today.
      state          TEXT NOT NULL
        CHECK (state IN ('pending', 'earlier', 'original', 'removing', 'removed')),
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
      sha256         TEXT,
      cut_of         TEXT,
      cut_start      REAL,
      cut_end        REAL
    ) WITHOUT ROWID;
    INSERT INTO video_files SELECT *, NULL, NULL, NULL FROM temp.video_files_before;
    DROP TABLE temp.video_files_before;
    CREATE UNIQUE INDEX video_files_pending ON video_files (video_id) WHERE state = 'pending';
    CREATE INDEX video_files_by_video ON video_files (video_id);
    CREATE INDEX video_files_by_url ON video_files (video_url);
    CREATE INDEX video_files_by_age ON video_files (state, replaced_at, id, video_id, bytes);
  `,
};
