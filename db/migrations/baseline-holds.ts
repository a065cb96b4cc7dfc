/** Hides a video that something has published in spite of a rule, for tools that don't check it first. */
const hide = (action: string) => `
    UPDATE videos SET status = 'hidden' WHERE id = NEW.id;
    INSERT INTO activities (action, subject_id, detail) VALUES ('${action}', NEW.id, NEW.title);`;

const IS_ON_HOLD = "EXISTS (SELECT 1 FROM video_holds WHERE video_id = NEW.id)";

/** The same rule as in `app/trust/consent/lacking.server.ts`. */
const LACKS_CONSENT = `EXISTS (SELECT 1 FROM consent_requirement) AND NOT EXISTS (
      SELECT 1 FROM video_consents AS consent WHERE consent.video_id = NEW.id
        AND (ends_on IS NULL OR ends_on > date('now'))
        AND people = (SELECT count(*) FROM video_performers AS shown WHERE shown.video_id = NEW.id)
        AND NOT EXISTS (SELECT 1 FROM video_performers AS shown
          JOIN performers ON performers.id = shown.performer_id
          WHERE shown.video_id = NEW.id AND (of_age = 0 OR checked_on IS NULL OR NOT EXISTS (
            SELECT 1 FROM performer_documents AS document
            WHERE document.performer_id = performers.id AND document.kind = 'identity'))))`;

/** What keeps a video from being published, whoever writes to the table `videos`. */
export const holds = /* sql */ `
  -- While a video has one, it isn't published. No foreign key: it may be in the trash.
  CREATE TABLE video_holds (
    video_id      TEXT NOT NULL,
    reason        TEXT NOT NULL CHECK (reason IN
                    ('report', 'removed', 'consent', 'block-list', 'user-blocked', 'comparing')),
    -- The id of the report, so that each report has a hold of its own; empty for other reasons.
    source_id     TEXT NOT NULL DEFAULT '',
    since         TEXT NOT NULL,
    -- 1 if the video was public, or was scheduled to be by now: it is published when its last hold is
    -- released.
    was_published INTEGER NOT NULL DEFAULT 0 CHECK (was_published IN (0, 1)),
    PRIMARY KEY (video_id, reason, source_id)
  ) WITHOUT ROWID;
  CREATE INDEX video_holds_comparing ON video_holds (video_id) WHERE reason = 'comparing';

  -- Has its row while REQUIRE_CONSENT is on, since triggers can't read settings.
  CREATE TABLE consent_requirement (id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1));

  -- Videos that were scheduled to be published by now, and wait for a record; with that time.
  CREATE TABLE consent_waits (
    video_id   TEXT PRIMARY KEY NOT NULL,
    publish_at TEXT NOT NULL
  ) WITHOUT ROWID;

  -- What is public stays public: only what becomes public needs a record.
  CREATE TRIGGER videos_consent_changed AFTER UPDATE OF id, status ON videos
    WHEN NEW.status = 'published' AND (OLD.status <> 'published' OR OLD.id <> NEW.id)
      AND ${LACKS_CONSENT} BEGIN${hide("consent-kept")}
  END;
  CREATE TRIGGER videos_consent_entered AFTER INSERT ON videos
    WHEN NEW.status = 'published' AND ${LACKS_CONSENT} BEGIN${hide("consent-kept")}
  END;
  CREATE TRIGGER videos_held_changed AFTER UPDATE OF id, status ON videos
    WHEN NEW.status = 'published' AND ${IS_ON_HOLD} BEGIN${hide("hold-kept")}
  END;
  CREATE TRIGGER videos_held_entered AFTER INSERT ON videos
    WHEN NEW.status = 'published' AND ${IS_ON_HOLD} BEGIN${hide("hold-kept")}
  END;
`;
