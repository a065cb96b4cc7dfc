import type { Migration } from "../migrate.server";

/** A valid record, as `app/trust/consent/lacking.server.ts` has it, by what the database alone tells. */
const lacks = (id: string) => `NOT EXISTS (
        SELECT 1 FROM video_consents AS consent WHERE consent.video_id = ${id}
          AND (ends_on IS NULL OR ends_on > date('now'))
          AND people = (SELECT count(*) FROM video_performers AS shown WHERE shown.video_id = ${id})
          AND NOT EXISTS (SELECT 1 FROM video_performers AS shown
            JOIN performers ON performers.id = shown.performer_id
            WHERE shown.video_id = ${id} AND (of_age = 0 OR checked_on IS NULL OR NOT EXISTS (
              SELECT 1 FROM performer_documents AS document
              WHERE document.performer_id = performers.id AND document.kind = 'identity'))))`;

const hide = `
      UPDATE videos SET status = 'hidden' WHERE id = NEW.id;
      INSERT INTO activities (action, subject_id, detail) VALUES ('consent-kept', NEW.id, NEW.title);`;

/** Videos without a valid record, which nothing publishes while one is required, another program included. */
export const migration: Migration = {
  name: "0243-required-consent",
  sql: /* sql */ `
    -- Has its row while REQUIRE_CONSENT is on: triggers know no settings.
    CREATE TABLE consent_requirement (id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1));

    -- Videos whose time to be published has come, and that wait for their record, with that time.
    CREATE TABLE consent_waits (
      video_id   TEXT PRIMARY KEY NOT NULL,
      publish_at TEXT NOT NULL
    ) WITHOUT ROWID;

    -- What is public stays so: only what becomes public is asked.
    CREATE TRIGGER videos_consent_changed AFTER UPDATE OF id, status ON videos
      WHEN NEW.status = 'published' AND (OLD.status <> 'published' OR OLD.id <> NEW.id)
        AND EXISTS (SELECT 1 FROM consent_requirement) AND ${lacks("NEW.id")} BEGIN${hide}
    END;
    CREATE TRIGGER videos_consent_entered AFTER INSERT ON videos
      WHEN NEW.status = 'published'
        AND EXISTS (SELECT 1 FROM consent_requirement) AND ${lacks("NEW.id")} BEGIN${hide}
    END;
  `,
};
