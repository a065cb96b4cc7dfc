/** Consent records: the people shown in videos, with proof of age and consent. */
export const consent = /* sql */ `
  CREATE TABLE performers (
    id            TEXT PRIMARY KEY NOT NULL,
    -- One per line. Lists show the first one.
    stage_names   TEXT NOT NULL,
    -- The sort key of the first stage name.
    sort_name     TEXT NOT NULL,
    -- The encrypted payload: legal name and date of birth.
    payload           TEXT NOT NULL,
    document_kind TEXT,
    -- The day on which someone compared the document with the person; null if that hasn't happened yet.
    checked_on    TEXT,
    checked_by    TEXT,
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL
  );
  CREATE INDEX performers_by_name ON performers (sort_name, id);

  -- Each stage name, and its remainder after each space, so that a search finds the start of any word.
  CREATE TABLE performer_names (
    name         TEXT NOT NULL,
    performer_id TEXT NOT NULL REFERENCES performers (id) ON DELETE CASCADE,
    PRIMARY KEY (name, performer_id)
  ) WITHOUT ROWID;
  CREATE INDEX performer_names_by_performer ON performer_names (performer_id);

  -- Encrypted files in UPLOADS_DIR/documents, which are named after their ids.
  CREATE TABLE performer_documents (
    id           TEXT PRIMARY KEY NOT NULL,
    performer_id TEXT NOT NULL REFERENCES performers (id) ON DELETE CASCADE,
    kind         TEXT NOT NULL,
    type         TEXT NOT NULL,
    -- The size before encryption.
    bytes        INTEGER NOT NULL,
    -- The encrypted key of the file.
    file_key     TEXT NOT NULL,
    added_at     TEXT NOT NULL,
    added_by     TEXT,
    -- 1 once the file is in the store.
    stored       INTEGER NOT NULL DEFAULT 0 CHECK (stored IN (0, 1))
  );
  CREATE INDEX performer_documents_by_performer ON performer_documents (performer_id, added_at);
  CREATE INDEX performer_documents_due ON performer_documents (id) WHERE stored = 0;

  -- The consent record of each video. No foreign key: the video may be in the trash.
  CREATE TABLE video_consents (
    video_id    TEXT PRIMARY KEY NOT NULL,
    kind        TEXT NOT NULL,
    -- The number of people shown in the video.
    people      INTEGER NOT NULL CHECK (people BETWEEN 0 AND 50),
    -- Days, YYYY-MM-DD in UTC. It is invalid from ends_on; null if it doesn't expire.
    recorded_on TEXT NOT NULL,
    ends_on     TEXT,
    updated_at  TEXT NOT NULL,
    updated_by  TEXT,
    -- The alert that the record expires soon. Null until there is one, and again once ends_on changes or the alert is
    -- resolved. No foreign key: old alerts are deleted.
    expiry_alert_id TEXT
  );
  CREATE INDEX video_consents_by_expiry_alert ON video_consents (expiry_alert_id, ends_on)
    WHERE ends_on IS NOT NULL;
  CREATE INDEX video_consents_by_end ON video_consents (ends_on) WHERE ends_on IS NOT NULL;

  CREATE TABLE video_performers (
    video_id     TEXT NOT NULL REFERENCES video_consents (video_id) ON DELETE CASCADE,
    performer_id TEXT NOT NULL REFERENCES performers (id) ON DELETE CASCADE,
    -- Whether the performer was 18 on the day of recording.
    of_age       INTEGER NOT NULL CHECK (of_age IN (0, 1)),
    PRIMARY KEY (video_id, performer_id)
  ) WITHOUT ROWID;
  CREATE INDEX video_performers_by_performer ON video_performers (performer_id, video_id);
  CREATE INDEX video_performers_young ON video_performers (video_id) WHERE of_age = 0;

  -- A consent record is deleted when its video is deleted from the trash.
  CREATE TRIGGER consents_of_purged AFTER DELETE ON deleted_videos
    WHEN NOT EXISTS (SELECT 1 FROM videos WHERE id = OLD.id) BEGIN
    DELETE FROM video_consents WHERE video_id = OLD.id;
  END;
`;
