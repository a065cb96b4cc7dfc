import type { Migration } from "../migrate.server";

/** Strikes of uploaders. */
export const migration: Migration = {
  name: "0230-strikes",
  sql: /* sql */ `
    CREATE TABLE user_strikes (
      id           TEXT PRIMARY KEY NOT NULL,
      user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      reason       TEXT NOT NULL,
      given_by     TEXT REFERENCES users (id) ON DELETE SET NULL,
      given_at     TEXT NOT NULL,
      -- From then on it does not count.
      ends_at      TEXT NOT NULL,
      withdrawn_at TEXT
    );
    CREATE INDEX user_strikes_by_user ON user_strikes (user_id, given_at);
  `,
};
