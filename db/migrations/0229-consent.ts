import type { Migration } from "../migrate.server";

/** Who is shown in videos, with what proves their age and consent; and alerts of what ends soon. */
export const migration: Migration = {
  name: "0229-consent",
  sql: /* sql */ `
    CREATE TABLE performers (
      id            TEXT PRIMARY KEY NOT NULL,
      -- One a line, the first is what lists show.
      stage_names   TEXT NOT NULL,
      -- The first of them as lists are ordered by.
      sort_name     TEXT NOT NULL,
      -- Legal name and date of birth, encrypted.
      box           TEXT NOT NULL,
      document_kind TEXT CHECK (document_kind IN ('passport', 'identity-card', 'driving-licence', 'other')),
      -- The day on which somebody compared the document with the person; null while nobody has.
      checked_on    TEXT,
      checked_by    TEXT REFERENCES users (id) ON DELETE SET NULL,
      created_at    TEXT NOT NULL,
      updated_at    TEXT NOT NULL
    );
    CREATE INDEX performers_by_name ON performers (sort_name, id);

    -- Each stage name, and what follows each of its spaces: a search finds words by their beginnings.
    CREATE TABLE performer_names (
      name         TEXT NOT NULL,
      performer_id TEXT NOT NULL REFERENCES performers (id) ON DELETE CASCADE,
      PRIMARY KEY (name, performer_id)
    ) WITHOUT ROWID;
    CREATE INDEX performer_names_by_performer ON performer_names (performer_id);

    -- Encrypted files in UPLOADS_DIR/documents, each named by its id.
    CREATE TABLE performer_documents (
      id           TEXT PRIMARY KEY NOT NULL,
      performer_id TEXT NOT NULL REFERENCES performers (id) ON DELETE CASCADE,
      kind         TEXT NOT NULL CHECK (kind IN ('identity', 'release', 'other')),
      type         TEXT NOT NULL CHECK (type IN ('application/pdf', 'image/jpeg', 'image/png')),
      -- Before it was encrypted.
      bytes        INTEGER NOT NULL,
      -- The key of the file, encrypted itself.
      file_key     TEXT NOT NULL,
      added_at     TEXT NOT NULL,
      added_by     TEXT REFERENCES users (id) ON DELETE SET NULL
    );
    CREATE INDEX performer_documents_by_performer ON performer_documents (performer_id, added_at);

    -- What is recorded about a video. No foreign key: it may be in the trash.
    CREATE TABLE video_consents (
      video_id    TEXT PRIMARY KEY NOT NULL,
      kind        TEXT NOT NULL CHECK (kind IN ('own', 'licensed', 'release')),
      -- How many are shown.
      people      INTEGER NOT NULL CHECK (people BETWEEN 0 AND 50),
      -- Days, YYYY-MM-DD in UTC. From ends_on on it is not valid; null without an end.
      recorded_on TEXT NOT NULL,
      ends_on     TEXT,
      updated_at  TEXT NOT NULL,
      updated_by  TEXT REFERENCES users (id) ON DELETE SET NULL
    );
    CREATE INDEX video_consents_by_end ON video_consents (ends_on) WHERE ends_on IS NOT NULL;

    CREATE TABLE video_performers (
      video_id     TEXT NOT NULL REFERENCES video_consents (video_id) ON DELETE CASCADE,
      performer_id TEXT NOT NULL REFERENCES performers (id) ON DELETE CASCADE,
      -- Whether they were 18 on the day of recording.
      of_age       INTEGER NOT NULL CHECK (of_age IN (0, 1)),
      PRIMARY KEY (video_id, performer_id)
    ) WITHOUT ROWID;
    CREATE INDEX video_performers_by_performer ON video_performers (performer_id, video_id);
    CREATE INDEX video_performers_young ON video_performers (video_id) WHERE of_age = 0;

    -- The records of a video go with what is left of it in the trash.
    CREATE TRIGGER consents_of_purged AFTER DELETE ON deleted_videos
      WHEN NOT EXISTS (SELECT 1 FROM videos WHERE id = OLD.id) BEGIN
      DELETE FROM video_consents WHERE video_id = OLD.id;
    END;

    -- Videos that were hidden together because they lacked a record, for whoever undoes that.
    CREATE TABLE consent_hidings (
      batch    TEXT NOT NULL,
      video_id TEXT NOT NULL,
      PRIMARY KEY (batch, video_id)
    ) WITHOUT ROWID;

    -- The tables of alerts again, since a check can't be changed: with the kind 'consent'.
    CREATE TABLE new_alerts (
      id          TEXT PRIMARY KEY NOT NULL,
      kind        TEXT NOT NULL
                    CHECK (kind IN ('disk', 'jobs', 'backup-failed', 'backup-old', 'consent', 'test')),
      sentence    TEXT NOT NULL,
      -- Of failed jobs: when the last of them failed. Of records: the last day that it is about.
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
