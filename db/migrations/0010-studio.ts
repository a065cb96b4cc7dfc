import type { Migration } from "../migrate.server";

export const migration: Migration = {
  name: "0010-studio",
  sql: /* sql */ `
    -- Today's category of a row, whatever legacy value it holds, so that one index serves both.
    ALTER TABLE videos ADD COLUMN shelf TEXT GENERATED ALWAYS AS (CASE category
      WHEN 'amateur' THEN 'desi' WHEN 'professional' THEN 'blacked' WHEN 'couples' THEN 'english'
      WHEN 'solo' THEN 'pornstar' WHEN 'featured' THEN 'premium' ELSE category END) VIRTUAL;
    -- duration as a number; a text without a colon holds seconds.
    ALTER TABLE videos ADD COLUMN seconds INTEGER GENERATED ALWAYS AS (CASE instr(duration, ':')
      WHEN 0 THEN CAST(duration AS INTEGER)
      ELSE 60 * CAST(duration AS INTEGER)
        + CAST(substr(duration, instr(duration, ':') + 1) AS INTEGER) END) VIRTUAL;
    -- What the video's files take on disk; kept by the triggers of media_files.
    ALTER TABLE videos ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

    -- One index for each order of the admin list. Status and category stand at its end, so that a
    -- filter is answered from the index alone.
    CREATE INDEX videos_managed_by_age ON videos (created_at, id, status, shelf);
    CREATE INDEX videos_managed_by_views ON videos (views, id, status, shelf);
    CREATE INDEX videos_managed_by_title ON videos (title COLLATE NOCASE, id, status, shelf);
    CREATE INDEX videos_managed_by_length ON videos (seconds, id, status, shelf);
    CREATE INDEX videos_managed_by_size ON videos (bytes, id, status, shelf);
    -- The few rows of a rare status or category, which those indexes would have to look for.
    CREATE INDEX videos_managed_by_state ON videos (status, shelf);
    DROP INDEX videos_all_by_age;

    -- How many videos, views and bytes each status and category has: kept, never counted.
    CREATE TABLE video_tallies (
      status TEXT NOT NULL,
      shelf  TEXT NOT NULL,
      videos INTEGER NOT NULL,
      views  INTEGER NOT NULL,
      bytes  INTEGER NOT NULL,
      PRIMARY KEY (status, shelf)
    ) WITHOUT ROWID;
    INSERT INTO video_tallies (status, shelf, videos, views, bytes)
      SELECT status, shelf, count(*), sum(views), sum(bytes) FROM videos GROUP BY status, shelf;

    -- The files of the two buckets and what they take on disk. A folder of derived files may be one
    -- row. video_id is null for a file that no video claims.
    CREATE TABLE media_files (
      bucket   TEXT NOT NULL CHECK (bucket IN ('videos', 'thumbnails')),
      path     TEXT NOT NULL,
      video_id TEXT,
      kind     TEXT NOT NULL CHECK (kind IN ('video', 'source', 'thumbnail', 'derived')),
      bytes    INTEGER NOT NULL CHECK (bytes >= 0),
      PRIMARY KEY (bucket, path)
    ) WITHOUT ROWID;
    CREATE INDEX media_files_by_video ON media_files (video_id);

    CREATE TABLE storage (
      id         INTEGER PRIMARY KEY CHECK (id = 1),
      bytes      INTEGER NOT NULL DEFAULT 0,
      -- When the disk was last walked and compared with media_files.
      checked_at TEXT
    );
    INSERT INTO storage (id) VALUES (1);

    CREATE TRIGGER media_file_added AFTER INSERT ON media_files BEGIN
      UPDATE storage SET bytes = bytes + NEW.bytes;
      UPDATE videos SET bytes = bytes + NEW.bytes WHERE id = NEW.video_id;
    END;
    CREATE TRIGGER media_file_removed AFTER DELETE ON media_files BEGIN
      UPDATE storage SET bytes = bytes - OLD.bytes;
      UPDATE videos SET bytes = bytes - OLD.bytes WHERE id = OLD.video_id;
    END;
    CREATE TRIGGER media_file_changed AFTER UPDATE ON media_files BEGIN
      UPDATE storage SET bytes = bytes - OLD.bytes + NEW.bytes;
      UPDATE videos SET bytes = bytes - OLD.bytes WHERE id = OLD.video_id;
      UPDATE videos SET bytes = bytes + NEW.bytes WHERE id = NEW.video_id;
    END;

    -- Files may be recorded before their row is there. The tally comes first: it is what the second
    -- statement's own trigger adds the bytes to.
    CREATE TRIGGER videos_tallied_by_insert AFTER INSERT ON videos BEGIN
      INSERT INTO video_tallies (status, shelf, videos, views, bytes)
        VALUES (NEW.status, NEW.shelf, 1, NEW.views, NEW.bytes)
        ON CONFLICT DO UPDATE SET
          videos = videos + 1, views = views + excluded.views, bytes = bytes + excluded.bytes;
      UPDATE videos SET bytes = (SELECT sum(bytes) FROM media_files WHERE video_id = NEW.id)
        WHERE id = NEW.id AND EXISTS (SELECT 1 FROM media_files WHERE video_id = NEW.id);
    END;
    CREATE TRIGGER videos_tallied_by_delete AFTER DELETE ON videos BEGIN
      UPDATE video_tallies
        SET videos = videos - 1, views = views - OLD.views, bytes = bytes - OLD.bytes
        WHERE status = OLD.status AND shelf = OLD.shelf;
    END;
    CREATE TRIGGER videos_tallied_in_place AFTER UPDATE OF views, bytes ON videos
      WHEN OLD.status = NEW.status AND OLD.category = NEW.category BEGIN
      UPDATE video_tallies
        SET views = views - OLD.views + NEW.views, bytes = bytes - OLD.bytes + NEW.bytes
        WHERE status = NEW.status AND shelf = NEW.shelf;
    END;
    CREATE TRIGGER videos_tallied_by_move AFTER UPDATE OF status, category ON videos
      WHEN OLD.status <> NEW.status OR OLD.category <> NEW.category BEGIN
      UPDATE video_tallies
        SET videos = videos - 1, views = views - OLD.views, bytes = bytes - OLD.bytes
        WHERE status = OLD.status AND shelf = OLD.shelf;
      INSERT INTO video_tallies (status, shelf, videos, views, bytes)
        VALUES (NEW.status, NEW.shelf, 1, NEW.views, NEW.bytes)
        ON CONFLICT DO UPDATE SET
          videos = videos + 1, views = views + excluded.views, bytes = bytes + excluded.bytes;
    END;

    -- Views of a day: a number for each video, and nothing about who watched.
    CREATE TABLE view_days (
      video_id TEXT NOT NULL,
      day      TEXT NOT NULL,
      views    INTEGER NOT NULL,
      PRIMARY KEY (video_id, day)
    ) WITHOUT ROWID;
    CREATE INDEX view_days_by_day ON view_days (day, video_id, views);
    CREATE TRIGGER videos_viewed AFTER UPDATE OF views ON videos WHEN NEW.views > OLD.views BEGIN
      INSERT INTO view_days (video_id, day, views)
        VALUES (NEW.id, date('now'), NEW.views - OLD.views)
        ON CONFLICT DO UPDATE SET views = views + excluded.views;
    END;

    -- What was deleted and can still be brought back: the row as it was, and where its files are.
    CREATE TABLE deleted_videos (
      id         TEXT PRIMARY KEY NOT NULL,
      title      TEXT NOT NULL,
      row        TEXT NOT NULL CHECK (json_valid(row)),
      files      TEXT NOT NULL CHECK (json_valid(files)),
      deleted_by TEXT,
      deleted_at TEXT NOT NULL
    );
    CREATE INDEX deleted_videos_by_age ON deleted_videos (deleted_at);
  `,
};
