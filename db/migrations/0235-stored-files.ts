import type { Migration } from "../migrate.server";

/**
 * Which files have been looked at since they were written, and were moved into the store where they are
 * large: 1 yes, 0 not yet, below 0 while they are
 * being looked at. Whoever writes files writes their row anew.
 */
export const migration: Migration = {
  name: "0235-stored-files",
  sql: /* sql */ `
    ALTER TABLE media_files ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX media_files_due ON media_files (bucket, path) WHERE stored < 1;
  `,
};
