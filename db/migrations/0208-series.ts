import type { Migration } from "../migrate.server";

/** Ordered playlists. */
export const migration: Migration = {
  name: "0208-series",
  sql: /* sql */ `
    CREATE TABLE series (
      id          INTEGER PRIMARY KEY AUTOINCREMENT,
      title       TEXT NOT NULL,
      slug        TEXT NOT NULL UNIQUE,
      description TEXT NOT NULL DEFAULT '',
      visibility  TEXT NOT NULL DEFAULT 'studio' CHECK (visibility IN ('public', 'studio')),
      -- Rises with each change, so that a form of an older state is recognised.
      version     INTEGER NOT NULL DEFAULT 1,
      created_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      updated_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      -- Of one in the trash.
      deleted_at  TEXT
    );
    CREATE UNIQUE INDEX series_by_title ON series (title COLLATE NOCASE) WHERE deleted_at IS NULL;
    CREATE INDEX series_by_change ON series (updated_at, id) WHERE deleted_at IS NULL;
    CREATE INDEX series_deleted ON series (deleted_at) WHERE deleted_at IS NOT NULL;

    -- Every slug that a series has or had: an address that was handed out stays good.
    CREATE TABLE series_slugs (
      slug      TEXT PRIMARY KEY NOT NULL,
      series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE
    ) WITHOUT ROWID;
    CREATE INDEX series_slugs_by_series ON series_slugs (series_id);

    -- No foreign key to videos: a video in the trash comes back to its position, and another program
    -- may replace a row.
    CREATE TABLE series_videos (
      series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
      video_id  TEXT NOT NULL,
      position  INTEGER NOT NULL,
      PRIMARY KEY (series_id, video_id)
    ) WITHOUT ROWID;
    CREATE INDEX series_videos_in_order ON series_videos (series_id, position, video_id);
    CREATE INDEX series_videos_by_video ON series_videos (video_id, series_id);

    -- At most one row: the series that home shows.
    CREATE TABLE featured_series (
      id        INTEGER PRIMARY KEY CHECK (id = 1),
      series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE
    );
    CREATE INDEX featured_series_by_series ON featured_series (series_id);
  `,
};
