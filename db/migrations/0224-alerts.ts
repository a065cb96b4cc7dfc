import type { Migration } from "../migrate.server";

/** What the operator has to know, and the notices of it that go out. */
export const migration: Migration = {
  name: "0224-alerts",
  sql: /* sql */ `
    CREATE TABLE alerts (
      id          TEXT PRIMARY KEY NOT NULL,
      kind        TEXT NOT NULL CHECK (kind IN ('disk', 'jobs', 'backup-failed', 'backup-old', 'test')),
      sentence    TEXT NOT NULL,
      -- Of failed jobs: when the last of them failed.
      until       TEXT,
      raised_at   TEXT NOT NULL,
      -- Null while it lasts.
      resolved_at TEXT
    );
    CREATE INDEX alerts_by_time ON alerts (raised_at);
    CREATE INDEX alerts_open ON alerts (kind) WHERE resolved_at IS NULL;

    -- An outbox: each notice is written with its alert, and sent until it has arrived.
    CREATE TABLE alert_deliveries (
      id           TEXT PRIMARY KEY NOT NULL,
      alert_id     TEXT NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
      event        TEXT NOT NULL CHECK (event IN ('raised', 'resolved', 'test')),
      channel      TEXT NOT NULL CHECK (channel IN ('webhook', 'email')),
      attempts     INTEGER NOT NULL DEFAULT 0,
      -- Null once it has arrived, or was given up.
      next_at      TEXT,
      delivered_at TEXT,
      -- Why the last attempt failed.
      reason       TEXT
    );
    CREATE INDEX alert_deliveries_due ON alert_deliveries (next_at) WHERE next_at IS NOT NULL;
    CREATE INDEX alert_deliveries_by_alert ON alert_deliveries (alert_id);
  `,
};
