import type { Migration } from "../migrate.server";

/** Reports of videos, what is written about them, and the mails that go out. */
export const migration: Migration = {
  name: "0226-reports",
  sql: /* sql */ `
    CREATE TABLE reports (
      id          TEXT PRIMARY KEY NOT NULL,
      kind        TEXT NOT NULL
                    CHECK (kind IN ('copyright', 'consent', 'under-age', 'private', 'other')),
      -- No foreign key: a video may go, and its report stays.
      video_id    TEXT,
      state       TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'asked', 'closed')),
      decision    TEXT CHECK (decision IN ('keep', 'hide', 'remove', 'restore', 'withdrawn')),
      received_at TEXT NOT NULL,
      due_at      TEXT NOT NULL,
      closed_at   TEXT,
      erased_at   TEXT,
      -- Everything that was typed, encrypted; null once it is erased.
      box         TEXT
    );
    CREATE INDEX reports_due ON reports (due_at, id) WHERE state <> 'closed';
    CREATE INDEX reports_closed ON reports (closed_at, id) WHERE state = 'closed';
    CREATE INDEX reports_by_video ON reports (video_id, received_at) WHERE video_id IS NOT NULL;
    CREATE INDEX reports_to_erase ON reports (closed_at)
      WHERE closed_at IS NOT NULL AND erased_at IS NULL;

    CREATE TABLE report_messages (
      id        TEXT PRIMARY KEY NOT NULL,
      report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
      author    TEXT NOT NULL CHECK (author IN ('reporter', 'moderator', 'site')),
      sent_at   TEXT NOT NULL,
      box       TEXT NOT NULL
    );
    CREATE INDEX report_messages_by_report ON report_messages (report_id, sent_at);

    -- An outbox: each mail is written with what it tells, and sent until it has arrived.
    CREATE TABLE report_mails (
      id        TEXT PRIMARY KEY NOT NULL,
      report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
      event     TEXT NOT NULL CHECK (event IN ('received', 'asked', 'decided', 'message')),
      attempts  INTEGER NOT NULL DEFAULT 0,
      next_at   TEXT NOT NULL
    );
    CREATE INDEX report_mails_due ON report_mails (next_at);
    CREATE INDEX report_mails_by_report ON report_mails (report_id);
  `,
};
