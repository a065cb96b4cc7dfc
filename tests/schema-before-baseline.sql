-- The schema of migration 0160 as SQLite holds it, for the test that such a database is brought over.
CREATE TABLE migrations (name TEXT PRIMARY KEY NOT NULL, ran_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')));
CREATE TABLE videos (
      id            TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
      title         TEXT NOT NULL,
      description   TEXT NOT NULL DEFAULT '',
      category      TEXT NOT NULL CHECK (category IN (
                      'desi', 'blacked', 'english', 'pornstar', 'premium',
                      'amateur', 'professional', 'couples', 'solo', 'featured')),
      tags          TEXT CHECK (tags IS NULL OR (json_valid(tags) AND json_type(tags) = 'array')),
      duration      TEXT NOT NULL DEFAULT '0:00',
      video_url     TEXT NOT NULL DEFAULT '',
      thumbnail_url TEXT,
      uploaded_by   TEXT,
      status        TEXT NOT NULL DEFAULT 'published'
                      CHECK (status IN ('published', 'hidden', 'review')),
      views         INTEGER NOT NULL DEFAULT 0 CHECK (views >= 0),
      created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      updated_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    , shelf TEXT GENERATED ALWAYS AS (CASE category
      WHEN 'amateur' THEN 'desi' WHEN 'professional' THEN 'blacked' WHEN 'couples' THEN 'english'
      WHEN 'solo' THEN 'pornstar' WHEN 'featured' THEN 'premium' ELSE category END) VIRTUAL, seconds INTEGER GENERATED ALWAYS AS (CASE instr(duration, ':')
      WHEN 0 THEN CAST(duration AS INTEGER)
      ELSE 60 * CAST(duration AS INTEGER)
        + CAST(substr(duration, instr(duration, ':') + 1) AS INTEGER) END) VIRTUAL, bytes INTEGER NOT NULL DEFAULT 0, source_url TEXT, hls_url TEXT, storyboard_url TEXT, preview_url TEXT, captions TEXT, poster_colors TEXT);
CREATE TABLE users (
      id            TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
      email         TEXT NOT NULL UNIQUE COLLATE NOCASE,
      password_hash TEXT NOT NULL,
      created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    , totp_secret TEXT, totp_enabled_at TEXT, totp_last_step INTEGER);
CREATE TABLE sessions (
      id_hash      TEXT PRIMARY KEY NOT NULL,
      user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      last_used_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      expires_at   TEXT NOT NULL
    , device TEXT NOT NULL DEFAULT '');
CREATE TABLE catalogue_changes (
      id        INTEGER PRIMARY KEY CHECK (id = 1),
      catalogue INTEGER NOT NULL DEFAULT 0,
      views     INTEGER NOT NULL DEFAULT 0
    );
CREATE TABLE video_tallies (
      status TEXT NOT NULL,
      shelf  TEXT NOT NULL,
      videos INTEGER NOT NULL,
      views  INTEGER NOT NULL,
      bytes  INTEGER NOT NULL,
      PRIMARY KEY (status, shelf)
    ) WITHOUT ROWID;
CREATE TABLE media_files (
      bucket   TEXT NOT NULL CHECK (bucket IN ('videos', 'thumbnails')),
      path     TEXT NOT NULL,
      video_id TEXT,
      kind     TEXT NOT NULL CHECK (kind IN ('video', 'source', 'thumbnail', 'derived')),
      bytes    INTEGER NOT NULL CHECK (bytes >= 0),
      PRIMARY KEY (bucket, path)
    ) WITHOUT ROWID;
CREATE TABLE storage (
      id         INTEGER PRIMARY KEY CHECK (id = 1),
      bytes      INTEGER NOT NULL DEFAULT 0,
      -- When the disk was last walked and compared with media_files.
      checked_at TEXT
    );
CREATE TABLE view_days (
      video_id TEXT NOT NULL,
      day      TEXT NOT NULL,
      views    INTEGER NOT NULL,
      PRIMARY KEY (video_id, day)
    ) WITHOUT ROWID;
CREATE TABLE deleted_videos (
      id         TEXT PRIMARY KEY NOT NULL,
      title      TEXT NOT NULL,
      row        TEXT NOT NULL CHECK (json_valid(row)),
      files      TEXT NOT NULL CHECK (json_valid(files)),
      deleted_by TEXT,
      deleted_at TEXT NOT NULL
    );
CREATE TABLE recovery_codes (
      user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      code_hash TEXT NOT NULL,
      PRIMARY KEY (user_id, code_hash)
    ) WITHOUT ROWID;
CREATE TABLE activities (
      id         INTEGER PRIMARY KEY,
      user_id    TEXT,
      action     TEXT NOT NULL,
      subject_id TEXT,
      detail     TEXT NOT NULL DEFAULT '',
      created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    );
CREATE TABLE video_digests (
      video_id TEXT PRIMARY KEY NOT NULL,
      sha256   TEXT NOT NULL CHECK (length(sha256) = 64)
    ) WITHOUT ROWID;
CREATE TABLE published (
      place    INTEGER PRIMARY KEY,
      id       TEXT NOT NULL UNIQUE,
      category INTEGER NOT NULL,
      views    INTEGER NOT NULL
    );
CREATE VIRTUAL TABLE published_text USING fts5 (
      text, content = '', columnsize = 0, tokenize = 'trigram');
CREATE VIRTUAL TABLE published_grams USING fts5 (
      text, content = '', columnsize = 0, detail = none,
      tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*' separators ''");
CREATE TABLE published_segments (
      list    INTEGER NOT NULL,
      views   INTEGER NOT NULL,
      place   INTEGER NOT NULL,
      entries INTEGER NOT NULL,
      PRIMARY KEY (list, views, place)
    ) WITHOUT ROWID;
CREATE TABLE published_log (
      seq     INTEGER PRIMARY KEY AUTOINCREMENT,
      place   INTEGER NOT NULL,
      present INTEGER NOT NULL
    );
CREATE TABLE imports (
      source      TEXT PRIMARY KEY NOT NULL,
      bytes       INTEGER NOT NULL,
      modified_ms REAL NOT NULL,
      video_id    TEXT NOT NULL,
      -- Inside the bucket videos.
      target      TEXT NOT NULL,
      process     INTEGER NOT NULL,
      started_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      finished_at TEXT
    ) WITHOUT ROWID;
CREATE VIRTUAL TABLE managed_text USING fts5 (
      text, content = '', columnsize = 0, tokenize = 'trigram');
CREATE TABLE "jobs" (
      id           INTEGER PRIMARY KEY,
      video_id     TEXT NOT NULL,
      kind         TEXT NOT NULL CHECK (kind IN
                     ('playable', 'captions', 'poster', 'storyboard', 'preview', 'ladder', 'tidy')),
      priority     INTEGER NOT NULL,
      state        TEXT NOT NULL DEFAULT 'waiting'
                     CHECK (state IN ('waiting', 'running', 'done', 'parked')),
      attempts     INTEGER NOT NULL DEFAULT 0,
      run_after    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      worker       TEXT,
      lease_until  TEXT,
      progress     REAL NOT NULL DEFAULT 0,
      speed        REAL,
      seconds_left REAL,
      reason       TEXT,
      created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      started_at   TEXT,
      finished_at  TEXT,
      UNIQUE (video_id, kind)
    );
CREATE TABLE replaced_videos (
      id         TEXT PRIMARY KEY NOT NULL,
      number     INTEGER NOT NULL,
      text       TEXT NOT NULL,
      title      TEXT NOT NULL,
      status     TEXT NOT NULL,
      shelf      TEXT NOT NULL,
      seconds    INTEGER NOT NULL,
      views      INTEGER NOT NULL,
      bytes      INTEGER NOT NULL,
      created_at TEXT NOT NULL
    ) WITHOUT ROWID;
CREATE TABLE managed_by_age (
    key    TEXT NOT NULL,
    id     TEXT NOT NULL,
    status TEXT NOT NULL,
    shelf  TEXT NOT NULL,
    videos INTEGER NOT NULL,
    PRIMARY KEY (key, id, status, shelf)
  ) WITHOUT ROWID;
CREATE TABLE managed_by_views (
    key    INTEGER NOT NULL,
    id     TEXT NOT NULL,
    status TEXT NOT NULL,
    shelf  TEXT NOT NULL,
    videos INTEGER NOT NULL,
    PRIMARY KEY (key, id, status, shelf)
  ) WITHOUT ROWID;
CREATE TABLE managed_by_title (
    key    TEXT COLLATE NOCASE NOT NULL,
    id     TEXT NOT NULL,
    status TEXT NOT NULL,
    shelf  TEXT NOT NULL,
    videos INTEGER NOT NULL,
    PRIMARY KEY (key, id, status, shelf)
  ) WITHOUT ROWID;
CREATE TABLE managed_by_length (
    key    INTEGER NOT NULL,
    id     TEXT NOT NULL,
    status TEXT NOT NULL,
    shelf  TEXT NOT NULL,
    videos INTEGER NOT NULL,
    PRIMARY KEY (key, id, status, shelf)
  ) WITHOUT ROWID;
CREATE TABLE managed_by_size (
    key    INTEGER NOT NULL,
    id     TEXT NOT NULL,
    status TEXT NOT NULL,
    shelf  TEXT NOT NULL,
    videos INTEGER NOT NULL,
    PRIMARY KEY (key, id, status, shelf)
  ) WITHOUT ROWID;
CREATE TABLE search_tombstones (
      place INTEGER PRIMARY KEY,
      text  TEXT NOT NULL
    );
CREATE VIEW listed_videos AS
      SELECT id, views,
        max(0, min(4398046511103, coalesce(
          CAST(round((julianday(created_at) - 2451544.5) * 86400000) AS INTEGER), 0)))
          * 2097152 AS first_place,
        CASE category WHEN 'desi' THEN 0 WHEN 'amateur' THEN 0
                      WHEN 'blacked' THEN 1 WHEN 'professional' THEN 1
                      WHEN 'english' THEN 2 WHEN 'couples' THEN 2
                      WHEN 'pornstar' THEN 3 WHEN 'solo' THEN 3
                      ELSE 4 END AS category,
        title || char(31) || coalesce((
          SELECT group_concat(value, char(31)) FROM json_each(tags) WHERE type = 'text'), '') AS text
      FROM videos WHERE status = 'published';
CREATE INDEX videos_by_video_url ON videos (video_url);
CREATE INDEX videos_by_thumbnail_url ON videos (thumbnail_url);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
CREATE INDEX media_files_by_video ON media_files (video_id);
CREATE INDEX view_days_by_day ON view_days (day, video_id, views);
CREATE INDEX deleted_videos_by_age ON deleted_videos (deleted_at);
CREATE INDEX video_digests_by_sha256 ON video_digests (sha256);
CREATE INDEX published_by_category ON published (category, place);
CREATE INDEX published_by_views ON published (views, place) WHERE views > 0;
CREATE INDEX imports_unfinished ON imports (source) WHERE finished_at IS NULL;
CREATE INDEX jobs_unfinished ON jobs (priority, created_at, id)
      WHERE state IN ('waiting', 'running');
CREATE INDEX jobs_by_state ON jobs (state, finished_at);
CREATE INDEX videos_unpublished_by_age ON videos (created_at, id, status, shelf)
      WHERE status <> 'published';
CREATE INDEX videos_unpublished_by_views ON videos (views, id, status, shelf)
      WHERE status <> 'published';
CREATE INDEX videos_unpublished_by_title ON videos (title COLLATE NOCASE, id, status, shelf)
      WHERE status <> 'published';
CREATE INDEX videos_unpublished_by_length ON videos (seconds, id, status, shelf)
      WHERE status <> 'published';
CREATE INDEX videos_unpublished_by_size ON videos (bytes, id, status, shelf)
      WHERE status <> 'published';
CREATE INDEX videos_managed_by_age ON videos (created_at, id, shelf);
CREATE INDEX videos_managed_by_views ON videos (views, id, shelf);
CREATE INDEX videos_managed_by_title ON videos (title COLLATE NOCASE, id, shelf);
CREATE INDEX videos_managed_by_length ON videos (seconds, id, shelf);
CREATE INDEX videos_managed_by_size ON videos (bytes, id, shelf);
CREATE INDEX videos_by_shelf ON videos (shelf);
CREATE TRIGGER videos_changed_by_insert AFTER INSERT ON videos BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;
CREATE TRIGGER videos_changed_by_delete AFTER DELETE ON videos BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;
CREATE TRIGGER videos_changed_by_update AFTER UPDATE OF
      id, title, description, category, tags, duration, video_url, thumbnail_url, uploaded_by,
      status, created_at, updated_at ON videos BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;
CREATE TRIGGER videos_views_changed AFTER UPDATE OF views ON videos BEGIN
      UPDATE catalogue_changes SET views = views + 1;
    END;
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
CREATE TRIGGER videos_viewed AFTER UPDATE OF views ON videos WHEN NEW.views > OLD.views BEGIN
      INSERT INTO view_days (video_id, day, views)
        VALUES (NEW.id, date('now'), NEW.views - OLD.views)
        ON CONFLICT DO UPDATE SET views = views + excluded.views;
    END;
CREATE TRIGGER videos_changed_by_making AFTER UPDATE OF
      source_url, hls_url, storyboard_url, preview_url ON videos BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;
CREATE TRIGGER videos_relist_viewed AFTER UPDATE OF views ON videos
      WHEN OLD.views <> NEW.views BEGIN
      UPDATE published SET views = NEW.views WHERE id = NEW.id;
    END;
CREATE TRIGGER published_segments_split_all AFTER UPDATE OF entries ON published_segments
  WHEN NEW.entries > 2048 AND NEW.list = 8 BEGIN
    INSERT INTO published_segments (list, views, place, entries)
      SELECT NEW.list, 0, place, NEW.entries - 1024 FROM published
      WHERE place >= NEW.place ORDER BY place LIMIT 1 OFFSET 1024;
    UPDATE published_segments SET entries = 1024
      WHERE list = NEW.list AND views = NEW.views AND place = NEW.place;
  END;
CREATE TRIGGER published_segments_split_category AFTER UPDATE OF entries ON published_segments
  WHEN NEW.entries > 2048 AND NEW.list < 8 BEGIN
    INSERT INTO published_segments (list, views, place, entries)
      SELECT NEW.list, 0, place, NEW.entries - 1024 FROM published
      WHERE category = NEW.list AND place >= NEW.place ORDER BY place LIMIT 1 OFFSET 1024;
    UPDATE published_segments SET entries = 1024
      WHERE list = NEW.list AND views = NEW.views AND place = NEW.place;
  END;
CREATE TRIGGER published_segments_split_trending AFTER UPDATE OF entries ON published_segments
  WHEN NEW.entries > 2048 AND NEW.list = 9 BEGIN
    INSERT INTO published_segments (list, views, place, entries)
      SELECT NEW.list, views, place, NEW.entries - 1024 FROM published
      WHERE views > 0 AND (views, place) >= (NEW.views, NEW.place) ORDER BY views, place LIMIT 1 OFFSET 1024;
    UPDATE published_segments SET entries = 1024
      WHERE list = NEW.list AND views = NEW.views AND place = NEW.place;
  END;
CREATE TRIGGER published_segments_emptied AFTER UPDATE OF entries ON published_segments
      WHEN NEW.entries = 0 AND NEW.place >= 0 BEGIN
      DELETE FROM published_segments
        WHERE list = NEW.list AND views = NEW.views AND place = NEW.place;
    END;
CREATE TRIGGER published_moved AFTER UPDATE OF views ON published BEGIN
      
  UPDATE published_segments SET entries = entries + -1
  WHERE OLD.views > 0 AND (list, views, place) = (
    SELECT list, views, place FROM published_segments
    WHERE list = 9 AND (views, place) <= (OLD.views, OLD.place)
    ORDER BY views DESC, place DESC LIMIT 1); 
  UPDATE published_segments SET entries = entries + 1
  WHERE NEW.views > 0 AND (list, views, place) = (
    SELECT list, views, place FROM published_segments
    WHERE list = 9 AND (views, place) <= (NEW.views, NEW.place)
    ORDER BY views DESC, place DESC LIMIT 1);
    END;
CREATE TRIGGER published_passed_a_mark AFTER UPDATE OF views ON published
      WHEN (OLD.views > 10000) <> (NEW.views > 10000) OR (OLD.views > 50000) <> (NEW.views > 50000)
      BEGIN 
  INSERT INTO published_log (place, present) VALUES (NEW.place, 1);
    END;
CREATE TRIGGER videos_text_updated AFTER UPDATE OF title, tags ON videos
      WHEN OLD.title IS NOT NEW.title OR OLD.tags IS NOT NEW.tags BEGIN
      INSERT INTO managed_text (managed_text, rowid, text)
        VALUES ('delete', OLD.rowid, OLD.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(OLD.tags) WHERE type = 'text'), ''));
      INSERT INTO managed_text (rowid, text) VALUES (NEW.rowid, NEW.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(NEW.tags) WHERE type = 'text'), ''));
    END;
CREATE TRIGGER videos_text_deleted AFTER DELETE ON videos BEGIN
      INSERT INTO managed_text (managed_text, rowid, text)
        VALUES ('delete', OLD.rowid, OLD.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(OLD.tags) WHERE type = 'text'), ''));
    END;
CREATE TRIGGER videos_changed_by_captions AFTER UPDATE OF captions ON videos
      WHEN OLD.captions IS NOT NEW.captions BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;
CREATE TRIGGER jobs_gone_with_their_video AFTER DELETE ON videos BEGIN
      DELETE FROM jobs WHERE video_id = OLD.id;
    END;
CREATE TRIGGER videos_replaced_noted BEFORE INSERT ON videos BEGIN 
  DELETE FROM replaced_videos;
  INSERT INTO replaced_videos
    SELECT id, rowid, videos.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(videos.tags) WHERE type = 'text'), ''), title, status, shelf, seconds, views, bytes, created_at
    FROM videos WHERE id = NEW.id; END;
CREATE TRIGGER videos_renamed_noted BEFORE UPDATE OF id ON videos WHEN OLD.id IS NOT NEW.id BEGIN
      
  DELETE FROM replaced_videos;
  INSERT INTO replaced_videos
    SELECT id, rowid, videos.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(videos.tags) WHERE type = 'text'), ''), title, status, shelf, seconds, views, bytes, created_at
    FROM videos WHERE id = NEW.id;
    END;
CREATE TRIGGER videos_text_inserted AFTER INSERT ON videos BEGIN
      INSERT INTO managed_text (managed_text, rowid, text)
        SELECT 'delete', number, text FROM replaced_videos WHERE id = NEW.id;
      INSERT INTO managed_text (rowid, text) VALUES (NEW.rowid, NEW.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(NEW.tags) WHERE type = 'text'), ''));
    END;
CREATE TRIGGER videos_tallied_by_replace AFTER INSERT ON videos BEGIN
      UPDATE video_tallies SET videos = videos - 1, views = video_tallies.views - replaced.views,
          bytes = video_tallies.bytes - replaced.bytes
        FROM replaced_videos AS replaced
        WHERE replaced.id = NEW.id AND video_tallies.status = replaced.status
          AND video_tallies.shelf = replaced.shelf;
    END;
CREATE TRIGGER managed_by_age_replaced AFTER INSERT ON videos
    WHEN EXISTS (SELECT 1 FROM replaced_videos WHERE id = NEW.id) BEGIN
    INSERT INTO managed_by_age (key, id, status, shelf, videos)
      SELECT segment.key, segment.id, replaced.status, replaced.shelf, -1
      FROM replaced_videos AS replaced, managed_by_age AS segment
      WHERE replaced.id = NEW.id
        AND (segment.key, segment.id) <= (replaced.created_at, replaced.id)
      ORDER BY segment.key DESC, segment.id DESC LIMIT 1
      ON CONFLICT DO UPDATE SET videos = videos - 1;
  END;
CREATE TRIGGER managed_by_age_inserted AFTER INSERT ON videos BEGIN
    
  INSERT INTO managed_by_age (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_age WHERE (key, id) <= (NEW.created_at, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_age_deleted AFTER DELETE ON videos BEGIN
    
  INSERT INTO managed_by_age (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_age WHERE (key, id) <= (OLD.created_at, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
  END;
CREATE TRIGGER managed_by_age_updated
    AFTER UPDATE OF created_at, id, status, category ON videos
    WHEN OLD.created_at IS NOT NEW.created_at OR OLD.id <> NEW.id
      OR OLD.status <> NEW.status OR OLD.shelf <> NEW.shelf BEGIN
    
  INSERT INTO managed_by_age (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_age WHERE (key, id) <= (OLD.created_at, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
    
  INSERT INTO managed_by_age (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_age WHERE (key, id) <= (NEW.created_at, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_views_replaced AFTER INSERT ON videos
    WHEN EXISTS (SELECT 1 FROM replaced_videos WHERE id = NEW.id) BEGIN
    INSERT INTO managed_by_views (key, id, status, shelf, videos)
      SELECT segment.key, segment.id, replaced.status, replaced.shelf, -1
      FROM replaced_videos AS replaced, managed_by_views AS segment
      WHERE replaced.id = NEW.id
        AND (segment.key, segment.id) <= (replaced.views, replaced.id)
      ORDER BY segment.key DESC, segment.id DESC LIMIT 1
      ON CONFLICT DO UPDATE SET videos = videos - 1;
  END;
CREATE TRIGGER managed_by_views_inserted AFTER INSERT ON videos BEGIN
    
  INSERT INTO managed_by_views (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_views WHERE (key, id) <= (NEW.views, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_views_deleted AFTER DELETE ON videos BEGIN
    
  INSERT INTO managed_by_views (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_views WHERE (key, id) <= (OLD.views, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
  END;
CREATE TRIGGER managed_by_views_updated
    AFTER UPDATE OF views, id, status, category ON videos
    WHEN OLD.views IS NOT NEW.views OR OLD.id <> NEW.id
      OR OLD.status <> NEW.status OR OLD.shelf <> NEW.shelf BEGIN
    
  INSERT INTO managed_by_views (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_views WHERE (key, id) <= (OLD.views, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
    
  INSERT INTO managed_by_views (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_views WHERE (key, id) <= (NEW.views, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_title_replaced AFTER INSERT ON videos
    WHEN EXISTS (SELECT 1 FROM replaced_videos WHERE id = NEW.id) BEGIN
    INSERT INTO managed_by_title (key, id, status, shelf, videos)
      SELECT segment.key, segment.id, replaced.status, replaced.shelf, -1
      FROM replaced_videos AS replaced, managed_by_title AS segment
      WHERE replaced.id = NEW.id
        AND (segment.key, segment.id) <= (replaced.title, replaced.id)
      ORDER BY segment.key DESC, segment.id DESC LIMIT 1
      ON CONFLICT DO UPDATE SET videos = videos - 1;
  END;
CREATE TRIGGER managed_by_title_inserted AFTER INSERT ON videos BEGIN
    
  INSERT INTO managed_by_title (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_title WHERE (key, id) <= (NEW.title, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_title_deleted AFTER DELETE ON videos BEGIN
    
  INSERT INTO managed_by_title (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_title WHERE (key, id) <= (OLD.title, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
  END;
CREATE TRIGGER managed_by_title_updated
    AFTER UPDATE OF title, id, status, category ON videos
    WHEN OLD.title IS NOT NEW.title OR OLD.id <> NEW.id
      OR OLD.status <> NEW.status OR OLD.shelf <> NEW.shelf BEGIN
    
  INSERT INTO managed_by_title (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_title WHERE (key, id) <= (OLD.title, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
    
  INSERT INTO managed_by_title (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_title WHERE (key, id) <= (NEW.title, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_length_replaced AFTER INSERT ON videos
    WHEN EXISTS (SELECT 1 FROM replaced_videos WHERE id = NEW.id) BEGIN
    INSERT INTO managed_by_length (key, id, status, shelf, videos)
      SELECT segment.key, segment.id, replaced.status, replaced.shelf, -1
      FROM replaced_videos AS replaced, managed_by_length AS segment
      WHERE replaced.id = NEW.id
        AND (segment.key, segment.id) <= (replaced.seconds, replaced.id)
      ORDER BY segment.key DESC, segment.id DESC LIMIT 1
      ON CONFLICT DO UPDATE SET videos = videos - 1;
  END;
CREATE TRIGGER managed_by_length_inserted AFTER INSERT ON videos BEGIN
    
  INSERT INTO managed_by_length (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_length WHERE (key, id) <= (NEW.seconds, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_length_deleted AFTER DELETE ON videos BEGIN
    
  INSERT INTO managed_by_length (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_length WHERE (key, id) <= (OLD.seconds, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
  END;
CREATE TRIGGER managed_by_length_updated
    AFTER UPDATE OF duration, id, status, category ON videos
    WHEN OLD.seconds IS NOT NEW.seconds OR OLD.id <> NEW.id
      OR OLD.status <> NEW.status OR OLD.shelf <> NEW.shelf BEGIN
    
  INSERT INTO managed_by_length (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_length WHERE (key, id) <= (OLD.seconds, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
    
  INSERT INTO managed_by_length (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_length WHERE (key, id) <= (NEW.seconds, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_size_replaced AFTER INSERT ON videos
    WHEN EXISTS (SELECT 1 FROM replaced_videos WHERE id = NEW.id) BEGIN
    INSERT INTO managed_by_size (key, id, status, shelf, videos)
      SELECT segment.key, segment.id, replaced.status, replaced.shelf, -1
      FROM replaced_videos AS replaced, managed_by_size AS segment
      WHERE replaced.id = NEW.id
        AND (segment.key, segment.id) <= (replaced.bytes, replaced.id)
      ORDER BY segment.key DESC, segment.id DESC LIMIT 1
      ON CONFLICT DO UPDATE SET videos = videos - 1;
  END;
CREATE TRIGGER managed_by_size_inserted AFTER INSERT ON videos BEGIN
    
  INSERT INTO managed_by_size (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_size WHERE (key, id) <= (NEW.bytes, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER managed_by_size_deleted AFTER DELETE ON videos BEGIN
    
  INSERT INTO managed_by_size (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_size WHERE (key, id) <= (OLD.bytes, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
  END;
CREATE TRIGGER managed_by_size_updated
    AFTER UPDATE OF bytes, id, status, category ON videos
    WHEN OLD.bytes IS NOT NEW.bytes OR OLD.id <> NEW.id
      OR OLD.status <> NEW.status OR OLD.shelf <> NEW.shelf BEGIN
    
  INSERT INTO managed_by_size (key, id, status, shelf, videos)
    SELECT key, id, OLD.status, OLD.shelf, -1 FROM (
      SELECT key, id FROM managed_by_size WHERE (key, id) <= (OLD.bytes, OLD.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + -1;
    
  INSERT INTO managed_by_size (key, id, status, shelf, videos)
    SELECT key, id, NEW.status, NEW.shelf, 1 FROM (
      SELECT key, id FROM managed_by_size WHERE (key, id) <= (NEW.bytes, NEW.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + 1;
  END;
CREATE TRIGGER search_tombstones_deleted AFTER DELETE ON search_tombstones
      WHEN NOT EXISTS (SELECT 1 FROM published WHERE place = OLD.place) BEGIN
      INSERT INTO published_text (published_text, rowid, text)
        VALUES ('delete', OLD.place, OLD.text);
      INSERT INTO published_grams (published_grams, rowid, text)
        VALUES ('delete', OLD.place, (
  SELECT group_concat(substr(t, i, 1) || char(31) || substr(t, i, 2), char(31))
  FROM (WITH RECURSIVE n (i, t) AS (
          SELECT 1, OLD.text UNION ALL SELECT i + 1, t FROM n WHERE i < length(t))
        SELECT i, t FROM n)));
    END;
CREATE TRIGGER videos_list_updated AFTER UPDATE OF id, title, category, tags, status, created_at ON videos
      WHEN (OLD.status = 'published' OR NEW.status = 'published') AND (OLD.id IS NOT NEW.id OR OLD.title IS NOT NEW.title OR OLD.category IS NOT NEW.category OR OLD.tags IS NOT NEW.tags OR OLD.status IS NOT NEW.status OR OLD.created_at IS NOT NEW.created_at) BEGIN
      
  INSERT INTO search_tombstones (place, text) SELECT place, OLD.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(OLD.tags) WHERE type = 'text'), '') FROM published WHERE id = OLD.id;
  DELETE FROM published WHERE id = OLD.id;
      
  INSERT INTO search_tombstones (place, text) SELECT place, (SELECT text FROM replaced_videos WHERE id = NEW.id) FROM published WHERE id = NEW.id;
  DELETE FROM published WHERE id = NEW.id;
      
  INSERT INTO published (place, id, category, views)
    SELECT category | CASE
      WHEN last IS NULL THEN first_place
      WHEN last < first_place + 2097144 THEN (last | 7) + 1
      ELSE ((SELECT max(place) FROM published
             WHERE place < first_place + 7549747200000) | 7) + 1
    END, id, category, views
    FROM (SELECT *, (SELECT max(place) FROM published WHERE place >= first_place
                     AND place < first_place + 2097152) AS last
          FROM listed_videos WHERE id = NEW.id);
  
  INSERT INTO published_text (published_text, rowid, text)
    SELECT 'delete', place, text
    FROM published JOIN search_tombstones USING (place)
    WHERE id = NEW.id AND text IS NOT (SELECT text FROM listed_videos WHERE id = NEW.id);
  
  INSERT INTO published_grams (published_grams, rowid, text)
    SELECT 'delete', place, (
  SELECT group_concat(substr(t, i, 1) || char(31) || substr(t, i, 2), char(31))
  FROM (WITH RECURSIVE n (i, t) AS (
          SELECT 1, text UNION ALL SELECT i + 1, t FROM n WHERE i < length(t))
        SELECT i, t FROM n))
    FROM published JOIN search_tombstones USING (place)
    WHERE id = NEW.id AND text IS NOT (SELECT text FROM listed_videos WHERE id = NEW.id);
  
  INSERT INTO published_text (rowid, text)
    SELECT place, text FROM published JOIN listed_videos USING (id)
    WHERE id = NEW.id AND NOT EXISTS (
      SELECT 1 FROM search_tombstones AS old
      WHERE old.place = published.place AND old.text IS listed_videos.text);
  
  INSERT INTO published_grams (rowid, text)
    SELECT place, (
  SELECT group_concat(substr(t, i, 1) || char(31) || substr(t, i, 2), char(31))
  FROM (WITH RECURSIVE n (i, t) AS (
          SELECT 1, text UNION ALL SELECT i + 1, t FROM n WHERE i < length(t))
        SELECT i, t FROM n)) FROM published JOIN listed_videos USING (id)
    WHERE id = NEW.id AND NOT EXISTS (
      SELECT 1 FROM search_tombstones AS old
      WHERE old.place = published.place AND old.text IS listed_videos.text);
  DELETE FROM search_tombstones WHERE place = (SELECT place FROM published WHERE id = NEW.id);
    END;
CREATE TRIGGER videos_unlist_deleted AFTER DELETE ON videos BEGIN
      
  INSERT INTO search_tombstones (place, text) SELECT place, OLD.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(OLD.tags) WHERE type = 'text'), '') FROM published WHERE id = OLD.id;
  DELETE FROM published WHERE id = OLD.id;
    END;
CREATE TRIGGER videos_list_inserted AFTER INSERT ON videos BEGIN
      
  INSERT INTO search_tombstones (place, text) SELECT place, (SELECT text FROM replaced_videos WHERE id = NEW.id) FROM published WHERE id = NEW.id;
  DELETE FROM published WHERE id = NEW.id;
      
  INSERT INTO published (place, id, category, views)
    SELECT category | CASE
      WHEN last IS NULL THEN first_place
      WHEN last < first_place + 2097144 THEN (last | 7) + 1
      ELSE ((SELECT max(place) FROM published
             WHERE place < first_place + 7549747200000) | 7) + 1
    END, id, category, views
    FROM (SELECT *, (SELECT max(place) FROM published WHERE place >= first_place
                     AND place < first_place + 2097152) AS last
          FROM listed_videos WHERE id = NEW.id);
  
  INSERT INTO published_text (published_text, rowid, text)
    SELECT 'delete', place, text
    FROM published JOIN search_tombstones USING (place)
    WHERE id = NEW.id AND text IS NOT (SELECT text FROM listed_videos WHERE id = NEW.id);
  
  INSERT INTO published_grams (published_grams, rowid, text)
    SELECT 'delete', place, (
  SELECT group_concat(substr(t, i, 1) || char(31) || substr(t, i, 2), char(31))
  FROM (WITH RECURSIVE n (i, t) AS (
          SELECT 1, text UNION ALL SELECT i + 1, t FROM n WHERE i < length(t))
        SELECT i, t FROM n))
    FROM published JOIN search_tombstones USING (place)
    WHERE id = NEW.id AND text IS NOT (SELECT text FROM listed_videos WHERE id = NEW.id);
  
  INSERT INTO published_text (rowid, text)
    SELECT place, text FROM published JOIN listed_videos USING (id)
    WHERE id = NEW.id AND NOT EXISTS (
      SELECT 1 FROM search_tombstones AS old
      WHERE old.place = published.place AND old.text IS listed_videos.text);
  
  INSERT INTO published_grams (rowid, text)
    SELECT place, (
  SELECT group_concat(substr(t, i, 1) || char(31) || substr(t, i, 2), char(31))
  FROM (WITH RECURSIVE n (i, t) AS (
          SELECT 1, text UNION ALL SELECT i + 1, t FROM n WHERE i < length(t))
        SELECT i, t FROM n)) FROM published JOIN listed_videos USING (id)
    WHERE id = NEW.id AND NOT EXISTS (
      SELECT 1 FROM search_tombstones AS old
      WHERE old.place = published.place AND old.text IS listed_videos.text);
  DELETE FROM search_tombstones WHERE place = (SELECT place FROM published WHERE id = NEW.id);
    END;
CREATE TRIGGER published_counted_in AFTER INSERT ON published BEGIN
      
  UPDATE published_segments SET entries = entries + 1
  WHERE list = 8 AND views = 0 AND place = (
    SELECT max(place) FROM published_segments
    WHERE list = 8 AND views = 0 AND place <= NEW.place);
  UPDATE published_segments SET entries = entries + 1
  WHERE list = NEW.category AND views = 0 AND place = (
    SELECT max(place) FROM published_segments
    WHERE list = NEW.category AND views = 0 AND place <= NEW.place);
  UPDATE published_segments SET entries = entries + 1
  WHERE NEW.views > 0 AND (list, views, place) = (
    SELECT list, views, place FROM published_segments
    WHERE list = 9 AND (views, place) <= (NEW.views, NEW.place)
    ORDER BY views DESC, place DESC LIMIT 1);
      INSERT INTO published_log (place, present) VALUES (NEW.place, 1);
    END;
CREATE TRIGGER published_counted_out AFTER DELETE ON published BEGIN
      
  UPDATE published_segments SET entries = entries + -1
  WHERE list = 8 AND views = 0 AND place = (
    SELECT max(place) FROM published_segments
    WHERE list = 8 AND views = 0 AND place <= OLD.place);
  UPDATE published_segments SET entries = entries + -1
  WHERE list = OLD.category AND views = 0 AND place = (
    SELECT max(place) FROM published_segments
    WHERE list = OLD.category AND views = 0 AND place <= OLD.place);
  UPDATE published_segments SET entries = entries + -1
  WHERE OLD.views > 0 AND (list, views, place) = (
    SELECT list, views, place FROM published_segments
    WHERE list = 9 AND (views, place) <= (OLD.views, OLD.place)
    ORDER BY views DESC, place DESC LIMIT 1);
      INSERT INTO published_log (place, present) VALUES (OLD.place, 0);
    END;
CREATE TRIGGER published_log_trimmed AFTER INSERT ON published_log
      WHEN NEW.seq % 128 = 0 BEGIN
      DELETE FROM published_log WHERE seq <= NEW.seq - 10000;
    END;
CREATE TRIGGER videos_poster_colors_outdated AFTER UPDATE OF thumbnail_url ON videos
      WHEN OLD.thumbnail_url IS NOT NEW.thumbnail_url
        AND NEW.poster_colors IS NOT NULL AND NEW.poster_colors = OLD.poster_colors BEGIN
      UPDATE videos SET poster_colors = NULL WHERE id = NEW.id;
    END;
INSERT INTO migrations (name, ran_at) VALUES ('0001-videos-users-sessions', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0010-studio', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0020-accounts', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0030-jobs', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0040-uploads', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0060-managed-search', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0070-published-order-and-search', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0080-imports', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0090-managed-search-for-older-sqlite', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0100-captions', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0120-search-merges', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0125-replaced-videos', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0130-managed-segments', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0140-search-tombstones', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0150-managed-orders-without-status', '2026-11-21T00:00:00.000Z');
INSERT INTO migrations (name, ran_at) VALUES ('0160-poster-colors', '2026-11-21T00:00:00.000Z');
INSERT INTO catalogue_changes (id, catalogue, views) VALUES (1, 0, 0);
INSERT INTO storage (id, bytes, checked_at) VALUES (1, 0, NULL);
INSERT INTO published_segments (list, views, place, entries) VALUES (0, 0, -1, 0);
INSERT INTO published_segments (list, views, place, entries) VALUES (1, 0, -1, 0);
INSERT INTO published_segments (list, views, place, entries) VALUES (2, 0, -1, 0);
INSERT INTO published_segments (list, views, place, entries) VALUES (3, 0, -1, 0);
INSERT INTO published_segments (list, views, place, entries) VALUES (4, 0, -1, 0);
INSERT INTO published_segments (list, views, place, entries) VALUES (8, 0, -1, 0);
INSERT INTO published_segments (list, views, place, entries) VALUES (9, 0, -1, 0);
INSERT INTO managed_by_age (key, id, status, shelf, videos) VALUES ('', '', '', '', 0);
INSERT INTO managed_by_views (key, id, status, shelf, videos) VALUES (-1, '', '', '', 0);
INSERT INTO managed_by_title (key, id, status, shelf, videos) VALUES ('', '', '', '', 0);
INSERT INTO managed_by_length (key, id, status, shelf, videos) VALUES (-9223372036854776000, '', '', '', 0);
INSERT INTO managed_by_size (key, id, status, shelf, videos) VALUES (-9223372036854776000, '', '', '', 0);
