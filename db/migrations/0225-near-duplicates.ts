import type { Migration } from "../migrate.server";
import { jobsOf } from "./0200-baseline";

const KINDS = `'transcode', 'captions', 'poster', 'storyboard', 'preview', 'loudness', 'ladder', 'cleanup',
  'codecs', 'fingerprint'`;

/** What films look like, and those that look alike. Videos that are there get their job, behind all else. */
export const migration: Migration = {
  name: "0225-near-duplicates",
  sql: /* sql */ `
    -- The kinds of jobs are a CHECK. Renaming the table would rename it in the triggers too.
    CREATE TEMP TABLE jobs_before AS SELECT * FROM jobs;
    DROP TABLE jobs;
    ${jobsOf(KINDS)}
    CREATE INDEX jobs_waiting ON jobs (kind) WHERE state = 'waiting';
    INSERT INTO jobs SELECT * FROM temp.jobs_before;
    DROP TABLE temp.jobs_before;

    CREATE TABLE video_fingerprints (
      video_id TEXT PRIMARY KEY NOT NULL,
      seconds  REAL NOT NULL,
      -- 8 bytes for each of 16 pictures; 0 for one that shows nothing. Empty where too few show anything.
      hashes   BLOB NOT NULL
    );
    CREATE INDEX video_fingerprints_by_length ON video_fingerprints (seconds, video_id, hashes);

    -- Each pair once.
    CREATE TABLE similar_videos (
      first        TEXT NOT NULL,
      second       TEXT NOT NULL CHECK (first < second),
      -- Somebody has said that the two are not the same.
      dismissed_at TEXT,
      PRIMARY KEY (first, second)
    ) WITHOUT ROWID;
    CREATE INDEX similar_videos_by_second ON similar_videos (second, first);

    DROP TRIGGER videos_deleted;
    CREATE TRIGGER videos_deleted AFTER DELETE ON videos BEGIN
      INSERT INTO video_changes (video_id) VALUES (OLD.id);
      DELETE FROM jobs WHERE video_id = OLD.id;
      DELETE FROM video_digests WHERE video_id = OLD.id
        AND NOT EXISTS (SELECT 1 FROM deleted_videos WHERE id = OLD.id);
      DELETE FROM video_fingerprints WHERE video_id = OLD.id;
      DELETE FROM similar_videos WHERE first = OLD.id;
      DELETE FROM similar_videos WHERE second = OLD.id;
    END;

    INSERT INTO jobs (video_id, kind, priority)
      SELECT id, 'fingerprint', 90000000 FROM videos WHERE storyboard_url IS NOT NULL;
  `,
};
