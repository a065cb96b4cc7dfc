const IS_HELD = "EXISTS (SELECT 1 FROM video_holds WHERE video_id = NEW.id)";

/** The same rule as in `app/features/consent/missing-records.server.ts`. */
const LACKS_CONSENT = `EXISTS (SELECT 1 FROM consent_requirement) AND NOT EXISTS (
      SELECT 1 FROM video_consents AS consent WHERE consent.video_id = NEW.id
        AND (ends_on IS NULL OR ends_on > date('now'))
        AND people = (SELECT count(*) FROM video_performers AS shown WHERE shown.video_id = NEW.id)
        AND NOT EXISTS (SELECT 1 FROM video_performers AS shown
          JOIN performers ON performers.id = shown.performer_id
          WHERE shown.video_id = NEW.id AND (of_age = 0 OR checked_on IS NULL OR NOT EXISTS (
            SELECT 1 FROM performer_documents AS document
            WHERE document.performer_id = performers.id AND document.kind = 'identity'))))`;

/** Puts a video on hold if a tool publishes it without checking whether it has a consent record. */
const holdForConsent = /* sql */ `
    INSERT OR IGNORE INTO video_holds (video_id, reason, source_id, since)
      VALUES (NEW.id, 'consent', 'required', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
    INSERT INTO activities (action, subject_id, detail)
      VALUES ('consent-withheld', NEW.id, NEW.title);`;

const updateHeld = (id: string) => /* sql */ `
    UPDATE videos SET held = NOT held WHERE id = ${id}
      AND held <> EXISTS (SELECT 1 FROM video_holds WHERE video_id = ${id});`;

/**
 * The reasons why a video isn't public although its status is 'published'. They also apply to videos published by other
 * tools.
 */
export const holds = /* sql */ `
  -- Each row is one hold, so that ending one never ends another. No foreign key: the video may be in
  -- the trash.
  CREATE TABLE video_holds (
    video_id  TEXT NOT NULL,
    reason    TEXT NOT NULL,
    -- The id of the report, blocked account or block list entry, or the problem with the consent record;
    -- otherwise empty.
    source_id TEXT NOT NULL DEFAULT '',
    since     TEXT NOT NULL,
    PRIMARY KEY (video_id, reason, source_id)
  ) WITHOUT ROWID;
  CREATE INDEX video_holds_comparing ON video_holds (video_id) WHERE reason = 'comparing';
  CREATE INDEX video_holds_by_cause ON video_holds (reason, source_id, video_id);

  CREATE TRIGGER video_holds_added AFTER INSERT ON video_holds BEGIN${updateHeld("NEW.video_id")}
  END;
  CREATE TRIGGER video_holds_removed AFTER DELETE ON video_holds BEGIN${updateHeld("OLD.video_id")}
  END;
  CREATE TRIGGER videos_entered_held AFTER INSERT ON videos WHEN NEW.held <> ${IS_HELD} BEGIN${updateHeld("NEW.id")}
  END;
  CREATE TRIGGER videos_held_kept AFTER UPDATE OF id, held ON videos WHEN NEW.held <> ${IS_HELD} BEGIN${updateHeld("NEW.id")}
  END;

  -- Has one row while REQUIRE_CONSENT is on, because triggers can't read settings.
  CREATE TABLE consent_requirement (id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1));

  -- Only a video that becomes published needs a record. Public videos stay public.
  CREATE TRIGGER videos_consent_changed AFTER UPDATE OF id, status ON videos
    WHEN NEW.status = 'published' AND (OLD.status <> 'published' OR OLD.id <> NEW.id)
      AND ${LACKS_CONSENT} BEGIN${holdForConsent}
  END;
  CREATE TRIGGER videos_consent_entered AFTER INSERT ON videos
    WHEN NEW.status = 'published' AND ${LACKS_CONSENT} BEGIN${holdForConsent}
  END;
`;
