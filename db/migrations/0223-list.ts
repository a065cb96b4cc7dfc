import type { Migration } from "../migrate.server";

/** What the filters of the studio's list are answered from, and the views that users have saved. */
export const migration: Migration = {
  name: "0223-list",
  sql: /* sql */ `
    -- Videos of which a file was not on the disk when it was last looked for, by videos.number; written
    -- by studio/library/missing-files.server.ts alone.
    CREATE TABLE missing_files (
      number INTEGER PRIMARY KEY REFERENCES videos (number) ON DELETE CASCADE
    );
    -- When the last complete look for them began; null when there was none.
    ALTER TABLE storage ADD COLUMN files_looked_at TEXT;

    CREATE INDEX videos_without_thumbnail ON videos (sort_key, status, category)
      WHERE coalesce(thumbnail_url, '') = '';

    CREATE TABLE saved_views (
      id         INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name       TEXT NOT NULL COLLATE NOCASE,
      -- The parameters of its address, as manageHref() writes them.
      parameters TEXT NOT NULL,
      UNIQUE (user_id, name)
    );
  `,
};
