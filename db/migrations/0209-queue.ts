import type { Migration } from "../migrate.server";

/** The queue can be paused, also over a restart; how much of each kind waits is counted in an index. */
export const migration: Migration = {
  name: "0209-queue",
  sql: /* sql */ `
    CREATE TABLE queue_state (
      id        INTEGER PRIMARY KEY CHECK (id = 1),
      -- Null while jobs are taken.
      paused_at TEXT
    );
    INSERT INTO queue_state VALUES (1, NULL);
    CREATE INDEX jobs_waiting ON jobs (kind) WHERE state = 'waiting';
  `,
};
