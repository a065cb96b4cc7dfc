import type { Migration } from "../migrate.server";

/** Until when a copy of the database has everything: `db/heartbeat.server.ts`. */
export const migration: Migration = {
  name: "0236-heartbeat",
  sql: /* sql */ `
    CREATE TABLE heartbeat (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      at TEXT NOT NULL
    )`,
};
