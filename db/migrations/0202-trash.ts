import type { Migration } from "../migrate.server";

/** The trash has a page: what its list shows stands in one index, and how much it takes beside it. */
export const migration: Migration = {
  name: "0202-trash",
  sql: /* sql */ `
    ALTER TABLE deleted_videos ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
    DROP INDEX deleted_videos_by_age;
    CREATE INDEX deleted_videos_by_age ON deleted_videos (deleted_at, id, title, bytes, deleted_by);
  `,
};
