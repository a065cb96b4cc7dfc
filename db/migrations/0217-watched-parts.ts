import type { Migration } from "../migrate.server";

/** Which parts of the films are watched, as totals, and what the disk has held day by day. */
export const migration: Migration = {
  name: "0217-watched-parts",
  sql: /* sql */ `
    -- A total for each video: nothing about who watched, nor when.
    CREATE TABLE watched_parts (
      video_id TEXT PRIMARY KEY NOT NULL,
      views    INTEGER NOT NULL,
      -- Of each twentieth of the film, in how many of these views it was watched.
      parts    TEXT NOT NULL CHECK (json_array_length(parts) = 20)
    ) WITHOUT ROWID;

    -- The file system of the uploads, as it was found last on each day (UTC).
    CREATE TABLE disk_days (
      day        TEXT PRIMARY KEY NOT NULL,
      used_bytes INTEGER NOT NULL,
      free_bytes INTEGER NOT NULL
    ) WITHOUT ROWID;
  `,
};
