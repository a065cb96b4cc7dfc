import type { Migration } from "../migrate.server";

export const migration: Migration = {
  name: "0080-imports",
  sql: /* sql */ `
    -- What has been taken over from folders of the server: a file that has not changed since needs
    -- no second look. A row without finished_at is of a run that has not come to its end.
    CREATE TABLE imports (
      source      TEXT PRIMARY KEY NOT NULL,
      bytes       INTEGER NOT NULL,
      modified_ms REAL NOT NULL,
      video_id    TEXT NOT NULL,
      -- Inside the bucket videos.
      target      TEXT NOT NULL,
      process     INTEGER NOT NULL,
      started_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      finished_at TEXT
    ) WITHOUT ROWID;
    CREATE INDEX imports_unfinished ON imports (source) WHERE finished_at IS NULL;
  `,
};
