/**
 * The `videos` table with its indexes and triggers, and the data that the projector derives from it
 * (`db/projector.server.ts`).
 *
 * Any tool may write to `videos`, including the sqlite3 shell in Debian 12 (3.40). So the indexes and triggers don't
 * use any newer features, and the triggers don't write to the search indexes.
 */

/** Requires a time in ISO 8601 UTC. Times are compared as text, so all of them must have the same format. */
const isTime = (column: string) =>
  `CHECK (${column} IS NULL OR (${column} GLOB '????-??-??T??:??:??*Z' AND julianday(${column}) NOT NULL))`;

export const catalogue = /* sql */ `
  CREATE TABLE videos (
    id             TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
    -- Increases with each inserted row. An update doesn't change it.
    number         INTEGER PRIMARY KEY,
    title          TEXT NOT NULL,
    description    TEXT NOT NULL DEFAULT '',
    -- An id or a legacy value from app/shared/category-list.ts. Any other text is shown unchanged.
    category       TEXT NOT NULL,
    tags           TEXT CHECK (tags IS NULL OR (json_valid(tags) AND json_type(tags) = 'array')),
    duration       TEXT NOT NULL DEFAULT '0:00',
    video_url      TEXT NOT NULL DEFAULT '',
    thumbnail_url  TEXT,
    uploaded_by    TEXT,
    -- Chosen by people, as are publish_at and unpublish_at.
    status         TEXT NOT NULL DEFAULT 'published'
                     CHECK (status IN ('published', 'hidden', 'review')),
    views          INTEGER NOT NULL DEFAULT 0 CHECK (views >= 0),
    created_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- The size of the video's files on disk, which media-files.server.ts writes.
    bytes          INTEGER NOT NULL DEFAULT 0,
    -- The uploaded file, if video_url is empty or refers to a converted file.
    source_url     TEXT,
    -- Created by jobs. A video is playable without any of these.
    hls_url        TEXT,
    storyboard_url TEXT,
    preview_url    TEXT,
    -- A JSON list of {url, language, label, added}; null until the file has been searched for captions.
    captions       TEXT,
    -- The colors of the thumbnail's four quarters, 24 hexadecimal digits, shown while it loads.
    poster_colors  TEXT,
    -- duration in seconds, parsed from minutes:seconds, hours:minutes:seconds, or seconds.
    -- Other tools may write anything: limited to 0 to 68 years.
    seconds        INTEGER GENERATED ALWAYS AS (max(0, min(2147483647,
                     CASE length(duration) - length(replace(duration, ':', ''))
                     WHEN 0 THEN CAST(duration AS INTEGER)
                     WHEN 1 THEN 60 * CAST(duration AS INTEGER)
                       + CAST(substr(duration, instr(duration, ':') + 1) AS INTEGER)
                     ELSE 3600 * CAST(duration AS INTEGER)
                       + 60 * CAST(substr(duration, instr(duration, ':') + 1) AS INTEGER)
                       + CAST(ltrim(ltrim(substr(duration, instr(duration, ':') + 1),
                           '0123456789'), ':') AS INTEGER) END))) VIRTUAL,
    -- Sorts by created_at, whatever its format, then by number:
    -- 41 bits of milliseconds since 2000 (to 2069; an invalid time counts as 2000), then the last
    -- 22 bits of number. It is also the row's key in the search indexes, whose hits are therefore
    -- newest first.
    sort_key       INTEGER GENERATED ALWAYS AS (
                     max(0, min(2199023255551, coalesce(CAST(round((julianday(
                       CASE WHEN created_at GLOB '[0-9]*' THEN created_at END
                     ) - 2451544.5) * 86400000) AS INTEGER), 0))) * 4194304
                       + (number & 4194303)) VIRTUAL,
    -- When it is scheduled to be published or hidden.
    publish_at     TEXT ${isTime("publish_at")},
    unpublish_at   TEXT ${isTime("unpublish_at")},
    -- LUFS (EBU R128) and dBTP of the audio; null until they are measured, -70 LUFS without audio.
    loudness       REAL,
    true_peak      REAL,
    -- The settings with which the adaptive stream was encoded (see encoders.server.ts); null if unknown.
    hls_settings   TEXT,
    -- When the uploaded file was removed to save space; null if the remaining file contains all its streams.
    source_removed_at TEXT,
    -- The thumbnail that a job created. Any other was chosen by a person.
    generated_poster_url TEXT,
    -- When the draft became ready for review; null if it isn't.
    ready_at       TEXT,
    -- {userId}/{uploadId} of the file that this one was trimmed from, and the range in seconds.
    cut_of         TEXT,
    cut_start      REAL,
    cut_end        REAL,
    -- 1 while video_holds has a row for the video. Triggers write it.
    held           INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
    -- public: visitors can open its page and files. listed: it is also playable, which public lists require. A
    -- row without any file counts as playable, because no job will create one.
    public         INTEGER GENERATED ALWAYS AS (status = 'published' AND held = 0) VIRTUAL,
    listed         INTEGER GENERATED ALWAYS AS (status = 'published' AND held = 0
                     AND (video_url <> '' OR source_url IS NULL OR hls_url IS NOT NULL)) VIRTUAL
  );

  -- The sort orders of the public lists. Filter columns come after the sort key, so that a filter reads only
  -- the index.
  CREATE INDEX videos_listed ON videos (sort_key, seconds) WHERE listed;
  CREATE INDEX videos_listed_by_category ON videos (category, sort_key, seconds) WHERE listed;
  CREATE INDEX videos_listed_by_views ON videos (views, sort_key, seconds) WHERE listed;
  CREATE INDEX videos_listed_by_category_views ON videos (category, views, sort_key, seconds)
    WHERE listed;
  CREATE INDEX videos_listed_by_length ON videos (seconds, sort_key, category) WHERE listed;
  -- The sort orders of the studio's list, which has all rows. Status and category come after the sort key, so
  -- that a filter reads only the index.
  CREATE INDEX videos_by_age ON videos (sort_key, status, category);
  CREATE INDEX videos_by_title ON videos (title COLLATE NOCASE, number, status, category);
  CREATE INDEX videos_by_size ON videos (bytes, number, status, category);
  -- Its other sort orders, for the rows that the indexes of the public lists don't contain. Each index adds
  -- about 15 microseconds to an insert among a million rows, so no row is in two indexes for the same order.
  CREATE INDEX videos_unlisted_by_views ON videos (views, sort_key, status, category)
    WHERE NOT listed;
  CREATE INDEX videos_unlisted_by_length ON videos (seconds, sort_key, status, category)
    WHERE NOT listed;
  -- The few rows of a rare status or category, to find them without scanning an order.
  CREATE INDEX videos_unlisted_by_status ON videos (status, category) WHERE NOT listed;
  -- The row of a media URL, which decides who may see the file.
  CREATE INDEX videos_by_video_url ON videos (video_url);
  CREATE INDEX videos_by_thumbnail_url ON videos (thumbnail_url);
  CREATE INDEX videos_by_publish_at ON videos (publish_at) WHERE publish_at IS NOT NULL;
  CREATE INDEX videos_by_unpublish_at ON videos (unpublish_at) WHERE unpublish_at IS NOT NULL;
  -- Videos that can be watched while they are encoded, by the URL of the stream.
  CREATE INDEX videos_by_growing_stream ON videos (hls_url)
    WHERE video_url = '' AND hls_url IS NOT NULL;
  CREATE INDEX videos_by_source_url ON videos (source_url) WHERE source_url IS NOT NULL;
  -- Counts the streams that have to be encoded again.
  CREATE INDEX videos_by_hls_settings ON videos (hls_settings, source_removed_at)
    WHERE hls_url IS NOT NULL;
  -- An uploader's own list, newest first, and its total size. Videos inserted by other tools often have no
  -- uploader.
  CREATE INDEX videos_by_uploader ON videos (uploaded_by, sort_key, status, category, bytes)
    WHERE uploaded_by IS NOT NULL;
  CREATE INDEX videos_without_thumbnail ON videos (sort_key, status, category)
    WHERE coalesce(thumbnail_url, '') = '';
  -- The few videos on hold, which are checked at startup.
  CREATE INDEX videos_held ON videos (id) WHERE held = 1;

  -- The ids of changed rows that the projector hasn't processed yet. REPLACE doesn't fire a trigger for the row that it
  -- removes, but the new row has the same id.
  CREATE TABLE video_changes (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    video_id TEXT NOT NULL
  );
  CREATE TRIGGER videos_inserted AFTER INSERT ON videos BEGIN
    INSERT INTO video_changes (video_id) VALUES (NEW.id);
  END;
  CREATE TRIGGER videos_updated AFTER UPDATE ON videos BEGIN
    INSERT INTO video_changes (video_id) SELECT OLD.id UNION SELECT NEW.id;
    -- If a new thumbnail is set without its colors, the old colors are removed.
    UPDATE videos SET poster_colors = NULL WHERE number = NEW.number
      AND OLD.thumbnail_url IS NOT NEW.thumbnail_url AND OLD.poster_colors = NEW.poster_colors;
  END;
  -- A trigger instead of foreign keys, because tools that don't enforce them fire it too. Pairs marked as
  -- different are kept while a video is in the trash.
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
    DELETE FROM scan_findings WHERE video_id = OLD.id
      AND NOT EXISTS (SELECT 1 FROM deleted_videos WHERE id = OLD.id);
  END;

  -- The state of each video that the projector has processed.
  CREATE TABLE projected_videos (
    id          TEXT PRIMARY KEY NOT NULL,
    sort_key    INTEGER NOT NULL,
    status      TEXT NOT NULL,
    public      INTEGER NOT NULL,
    listed      INTEGER NOT NULL,
    category    TEXT NOT NULL,
    views       INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    -- Digests of title and tags, and of all columns except views and bytes.
    text_digest TEXT NOT NULL,
    digest      TEXT NOT NULL
  ) WITHOUT ROWID;

  -- By status, listed and category: the number of videos, the number with views, and total views and bytes.
  CREATE TABLE video_totals (
    status   TEXT NOT NULL,
    listed   INTEGER NOT NULL,
    category TEXT NOT NULL,
    videos   INTEGER NOT NULL,
    viewed   INTEGER NOT NULL,
    views    INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    PRIMARY KEY (status, listed, category)
  ) WITHOUT ROWID;

  -- Title and tags of every video, each followed by U+001F, so that nothing matches across two of them and
  -- whole tags can be matched. The status isn't indexed: a search reads it from the table for each hit.
  CREATE VIRTUAL TABLE video_search USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'trigram');
  -- For searches of one or two characters: each such substring is a token, folded like trigrams.
  CREATE VIRTUAL TABLE video_search_short USING fts5 (
    text, content = '', contentless_delete = 1, detail = none,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*' separators '\u001f'");
  -- FTS5 merges segments during an insert. With the default of four segments, some inserts among a million
  -- videos took 30 ms.
  INSERT INTO video_search (video_search, rank) VALUES ('automerge', 16), ('crisismerge', 64);
  INSERT INTO video_search_short (video_search_short, rank)
    VALUES ('automerge', 16), ('crisismerge', 64);

  -- The latest changes of listed videos, for the thread that keeps the index of related videos.
  CREATE TABLE related_changes (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    sort_key INTEGER NOT NULL
  );

  -- Counters of changes to the catalogue, and of changes to view counts only.
  CREATE TABLE catalogue_version (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    catalogue INTEGER NOT NULL DEFAULT 0,
    views     INTEGER NOT NULL DEFAULT 0
  );
  INSERT INTO catalogue_version (id) VALUES (1);

  -- Labels and order of the categories; empty for those of app/shared/category-list.ts.
  CREATE TABLE category_names (
    id       TEXT PRIMARY KEY NOT NULL,
    label    TEXT NOT NULL,
    position INTEGER NOT NULL
  ) WITHOUT ROWID;
`;
