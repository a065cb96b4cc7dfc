import type { Migration } from "../migrate.server";

/** What belongs to a film rather than to its video stays with it: where it is left, and what it is not. */
export const migration: Migration = {
  name: "0237-of-the-film",
  sql: /* sql */ `
    -- How much of it was watched while it was the file of its video, as watched_parts has it.
    ALTER TABLE video_files ADD COLUMN watched TEXT;

    -- As before, but for the pairs that somebody has said to be two films: those stay while one is in the trash.
    DROP TRIGGER videos_deleted;
    CREATE TRIGGER videos_deleted AFTER DELETE ON videos BEGIN
      INSERT INTO video_changes (video_id) VALUES (OLD.id);
      DELETE FROM jobs WHERE video_id = OLD.id;
      DELETE FROM video_digests WHERE video_id = OLD.id
        AND NOT EXISTS (SELECT 1 FROM deleted_videos WHERE id = OLD.id);
      DELETE FROM video_fingerprints WHERE video_id = OLD.id;
      DELETE FROM similar_videos WHERE first = OLD.id AND (dismissed_at IS NULL
        OR NOT EXISTS (SELECT 1 FROM deleted_videos WHERE id = OLD.id));
      DELETE FROM similar_videos WHERE second = OLD.id AND (dismissed_at IS NULL
        OR NOT EXISTS (SELECT 1 FROM deleted_videos WHERE id = OLD.id));
      DELETE FROM video_frames WHERE video_id = OLD.id;
    END;
  `,
};
