import type { Migration } from "../migrate.server";

/** What became of each backup into BACKUP_DIR. */
export const migration: Migration = {
  name: "0218-backups",
  sql: /* sql */ `
    CREATE TABLE backups (
      id          INTEGER PRIMARY KEY AUTOINCREMENT,
      -- The time of the timetable that it was made for; null for one that somebody asked for.
      due_at      TEXT,
      -- Who asked for it.
      user_id     TEXT REFERENCES users (id) ON DELETE SET NULL,
      state       TEXT NOT NULL DEFAULT 'running'
        CHECK (state IN ('running', 'done', 'failed', 'interrupted')),
      -- Its folder below BACKUP_DIR, once it is proved.
      name        TEXT,
      files       INTEGER NOT NULL DEFAULT 0,
      bytes       INTEGER NOT NULL DEFAULT 0,
      -- What of them was not linked from an earlier one.
      added_bytes INTEGER NOT NULL DEFAULT 0,
      -- Files of an earlier one that were damaged, and copied again.
      repaired    INTEGER NOT NULL DEFAULT 0,
      -- Why it failed.
      reason      TEXT,
      started_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      finished_at TEXT
    );
    CREATE INDEX backups_due ON backups (due_at) WHERE due_at IS NOT NULL;
  `,
};
