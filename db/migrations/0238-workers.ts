import type { Migration } from "../migrate.server";

/** Machines that convert for the site (docs/workers.md). */
export const migration: Migration = {
  name: "0238-workers",
  sql: /* sql */ `
    CREATE TABLE workers (
      id           INTEGER PRIMARY KEY,
      -- SHA-256 of the token, so that a stolen database opens nothing.
      token_hash   TEXT NOT NULL UNIQUE,
      name         TEXT NOT NULL UNIQUE,
      created_at   TEXT NOT NULL,
      last_seen_at TEXT,
      jobs_done    INTEGER NOT NULL DEFAULT 0,
      trouble      TEXT
    );
    ALTER TABLE jobs ADD COLUMN worker_losses INTEGER NOT NULL DEFAULT 0;
  `,
};
