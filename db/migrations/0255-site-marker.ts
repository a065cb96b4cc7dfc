import type { Migration } from "../migrate.server";

/**
 * What `site.json` in the uploads folder repeats, so that a start can tell whether the database and the
 * folder belong together and are equally recent. The tables of alerts are recreated, since SQLite can't
 * change a CHECK: alerts gain the kind `removals`.
 */
export const migration: Migration = {
  name: "0255-site-marker",
  sql: /* sql */ `
    -- Empty until the first start after this migration.
    ALTER TABLE storage ADD COLUMN site_id TEXT NOT NULL DEFAULT '';
    -- Rises while the site runs.
    ALTER TABLE storage ADD COLUMN clock INTEGER NOT NULL DEFAULT 0;

    -- Asked before an object is removed from the store.
    CREATE INDEX stored_copies_by_key ON stored_copies (key);

    CREATE TABLE new_alerts (
      id          TEXT PRIMARY KEY NOT NULL,
      kind        TEXT NOT NULL
                    CHECK (kind IN ('disk', 'jobs', 'backup-failed', 'backup-old', 'consent', 'removals',
                      'store', 'reports-urgent', 'reports-due', 'reports-overdue', 'test')),
      sentence    TEXT NOT NULL,
      -- Of failed jobs: when the last of them failed. Of records: the last day that it is about.
      -- Of reports: the last deadline that it is about.
      until       TEXT,
      raised_at   TEXT NOT NULL,
      -- Null while it lasts.
      resolved_at TEXT
    );
    INSERT INTO new_alerts SELECT id, kind, sentence, until, raised_at, resolved_at FROM alerts;
    CREATE TABLE new_alert_deliveries (
      id           TEXT PRIMARY KEY NOT NULL,
      alert_id     TEXT NOT NULL REFERENCES new_alerts (id) ON DELETE CASCADE,
      event        TEXT NOT NULL CHECK (event IN ('raised', 'resolved', 'test')),
      channel      TEXT NOT NULL CHECK (channel IN ('webhook', 'email')),
      attempts     INTEGER NOT NULL DEFAULT 0,
      -- Null once it has arrived, or was given up.
      next_at      TEXT,
      delivered_at TEXT,
      -- Why the last attempt failed.
      reason       TEXT
    );
    INSERT INTO new_alert_deliveries
      SELECT id, alert_id, event, channel, attempts, next_at, delivered_at, reason
      FROM alert_deliveries ORDER BY rowid;
    DROP TABLE alert_deliveries;
    DROP TABLE alerts;
    ALTER TABLE new_alerts RENAME TO alerts;
    ALTER TABLE new_alert_deliveries RENAME TO alert_deliveries;
    CREATE INDEX alerts_by_time ON alerts (raised_at);
    CREATE INDEX alerts_open ON alerts (kind) WHERE resolved_at IS NULL;
    CREATE INDEX alert_deliveries_due ON alert_deliveries (next_at) WHERE next_at IS NOT NULL;
    CREATE INDEX alert_deliveries_by_alert ON alert_deliveries (alert_id);
  `,
};
