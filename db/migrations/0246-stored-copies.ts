import type { Migration } from "../migrate.server";

/**
 * Which object of the store has a copy of what an entry of `media_files` keeps on the disk. All entries are
 * looked at again, since none has one yet.
 */
export const migration: Migration = {
  name: "0246-stored-copies",
  sql: /* sql */ `
    CREATE TABLE stored_copies (
      bucket TEXT NOT NULL,
      path   TEXT NOT NULL,
      key    TEXT NOT NULL,
      -- Of the object, hexadecimal.
      sha256 TEXT NOT NULL,
      -- 1 once its files have left the buckets; then the object is removed, and the row with it.
      stale  INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),
      PRIMARY KEY (bucket, path)
    ) WITHOUT ROWID;
    CREATE INDEX stored_copies_stale ON stored_copies (bucket, path) WHERE stale = 1;
    UPDATE media_files SET stored = 0;
  `,
};
