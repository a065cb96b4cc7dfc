import type { Migration } from "../migrate.server";

/** What was removed and is not to come back, by digests and by what it shows. */
export const migration: Migration = {
  name: "0228-block-list",
  sql: /* sql */ `
    CREATE TABLE blocked_films (
      id         INTEGER PRIMARY KEY AUTOINCREMENT,
      -- Of the film that was removed here; it may be gone. Null for what was imported.
      video_id   TEXT,
      reason     TEXT NOT NULL
                 CHECK (reason IN ('copyright', 'consent', 'under-age', 'private', 'other')),
      blocked_at TEXT NOT NULL,
      -- waiting: its frames are taken from a file that is kept for that. ready: they have been taken.
      -- few: they could not; there are those that were taken before. none: only its bytes are known.
      state      TEXT NOT NULL CHECK (state IN ('waiting', 'ready', 'few', 'none')),
      attempts   INTEGER NOT NULL DEFAULT 0,
      -- Seconds to the first frame, and between two.
      first      REAL NOT NULL DEFAULT 0,
      step       REAL NOT NULL DEFAULT 0,
      -- Three hashes of 8 bytes for each frame; 0 for one that shows nothing.
      frames     BLOB NOT NULL DEFAULT x''
    );
    CREATE UNIQUE INDEX blocked_films_by_video ON blocked_films (video_id) WHERE video_id IS NOT NULL;
    CREATE INDEX blocked_films_waiting ON blocked_films (id) WHERE state = 'waiting';

    CREATE TABLE blocked_files (
      sha256  TEXT NOT NULL CHECK (length(sha256) = 64),
      film_id INTEGER NOT NULL REFERENCES blocked_films (id) ON DELETE CASCADE,
      PRIMARY KEY (sha256, film_id)
    ) WITHOUT ROWID;
    CREATE INDEX blocked_files_by_film ON blocked_files (film_id);

    -- Videos that look like a blocked film.
    CREATE TABLE blocked_likenesses (
      video_id     TEXT NOT NULL,
      film_id      INTEGER NOT NULL REFERENCES blocked_films (id) ON DELETE CASCADE,
      found_at     TEXT NOT NULL,
      -- Somebody has said that it is another film.
      dismissed_at TEXT,
      PRIMARY KEY (video_id, film_id)
    ) WITHOUT ROWID;
    CREATE INDEX blocked_likenesses_by_film ON blocked_likenesses (film_id);

    -- What films show, to be compared with blocked ones: two hashes of 8 bytes for each frame.
    CREATE TABLE video_frames (
      video_id TEXT PRIMARY KEY NOT NULL,
      first    REAL NOT NULL,
      step     REAL NOT NULL,
      frames   BLOB NOT NULL
    );
    DROP TRIGGER videos_deleted;
    CREATE TRIGGER videos_deleted AFTER DELETE ON videos BEGIN
      INSERT INTO video_changes (video_id) VALUES (OLD.id);
      DELETE FROM jobs WHERE video_id = OLD.id;
      DELETE FROM video_digests WHERE video_id = OLD.id
        AND NOT EXISTS (SELECT 1 FROM deleted_videos WHERE id = OLD.id);
      DELETE FROM video_fingerprints WHERE video_id = OLD.id;
      DELETE FROM similar_videos WHERE first = OLD.id;
      DELETE FROM similar_videos WHERE second = OLD.id;
      DELETE FROM video_frames WHERE video_id = OLD.id;
    END;

    -- Those that have been compared with each other are looked at again, behind all else.
    UPDATE jobs SET state = 'waiting', attempts = 0, progress = 0, finished_at = NULL, priority = 90000000
      WHERE kind = 'fingerprint' AND state = 'done';
  `,
};
