/**
 * The catalogue: the table `videos`, its indexes and triggers, and what the projector derives from it
 * (`db/projector.server.ts`).
 *
 * Any program may write to `videos`, with the sqlite3 shell of Debian 12 (3.40) for one. So indexes and
 * triggers use nothing newer, and no trigger touches a search index.
 */
export const catalogue = /* sql */ `
  CREATE TABLE videos (
    id             TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
    -- Rises with each row that is entered; an update leaves it as it is.
    number         INTEGER PRIMARY KEY,
    title          TEXT NOT NULL,
    description    TEXT NOT NULL DEFAULT '',
    -- An id or a legacy name of app/shared/category-list.ts; any other text is shown as it is.
    category       TEXT NOT NULL,
    tags           TEXT CHECK (tags IS NULL OR (json_valid(tags) AND json_type(tags) = 'array')),
    duration       TEXT NOT NULL DEFAULT '0:00',
    video_url      TEXT NOT NULL DEFAULT '',
    thumbnail_url  TEXT,
    uploaded_by    TEXT,
    status         TEXT NOT NULL DEFAULT 'published'
                     CHECK (status IN ('published', 'hidden', 'review')),
    views          INTEGER NOT NULL DEFAULT 0 CHECK (views >= 0),
    created_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- What the video's files take on disk; media-files.server.ts writes it.
    bytes          INTEGER NOT NULL DEFAULT 0,
    -- The file as it came, where video_url is empty yet or names a converted one.
    source_url     TEXT,
    -- What conversions have made of it. A row needs none of them to be shown.
    hls_url        TEXT,
    storyboard_url TEXT,
    preview_url    TEXT,
    -- A JSON list of {url, language, label, added}; null until they have been looked for.
    captions       TEXT,
    -- Of the four quarters of the thumbnail, 24 hexadecimal digits, shown while it is loading.
    poster_colors  TEXT,
    -- duration as a number: of minutes:seconds, hours:minutes:seconds, or seconds alone.
    -- Other programs may write anything: within 0 and 68 years.
    seconds        INTEGER GENERATED ALWAYS AS (max(0, min(2147483647,
                     CASE length(duration) - length(replace(duration, ':', ''))
                     WHEN 0 THEN CAST(duration AS INTEGER)
                     WHEN 1 THEN 60 * CAST(duration AS INTEGER)
                       + CAST(substr(duration, instr(duration, ':') + 1) AS INTEGER)
                     ELSE 3600 * CAST(duration AS INTEGER)
                       + 60 * CAST(substr(duration, instr(duration, ':') + 1) AS INTEGER)
                       + CAST(ltrim(ltrim(substr(duration, instr(duration, ':') + 1),
                           '0123456789'), ':') AS INTEGER) END))) VIRTUAL,
    -- Sorts as created_at does, however that is written, and of equals the later entered first:
    -- 41 bits of milliseconds since 2000 (to 2069; what is no time counts as 2000), then the last
    -- 22 bits of number. It is also the row's key in the search indexes, whose hits therefore come
    -- out newest first.
    sort_key       INTEGER GENERATED ALWAYS AS (
                     max(0, min(2199023255551, coalesce(CAST(round((julianday(
                       CASE WHEN created_at GLOB '[0-9]*' THEN created_at END
                     ) - 2451544.5) * 86400000) AS INTEGER), 0))) * 4194304
                       + (number & 4194303)) VIRTUAL
  );

  -- The orders of the public lists. What else a list is filtered by stands behind the order, so that
  -- a filter is answered from the index alone.
  CREATE INDEX videos_published ON videos (sort_key, seconds) WHERE status = 'published';
  CREATE INDEX videos_published_by_category ON videos (category, sort_key, seconds)
    WHERE status = 'published';
  CREATE INDEX videos_published_by_views ON videos (views, sort_key, seconds)
    WHERE status = 'published';
  CREATE INDEX videos_published_by_category_views ON videos (category, views, sort_key, seconds)
    WHERE status = 'published';
  CREATE INDEX videos_published_by_length ON videos (seconds, sort_key, category)
    WHERE status = 'published';
  -- The orders of the admin list that has all rows. Status and category stand behind the order, so
  -- that a filter is answered from the index alone.
  CREATE INDEX videos_by_age ON videos (sort_key, status, category);
  CREATE INDEX videos_by_title ON videos (title COLLATE NOCASE, number, status, category);
  CREATE INDEX videos_by_size ON videos (bytes, number, status, category);
  -- The rest of its orders, in which the public lists have what is published: each costs an insert
  -- about 15 microseconds among a million rows, so no row is in two indexes of one order.
  CREATE INDEX videos_unpublished_by_views ON videos (views, sort_key, status, category)
    WHERE status <> 'published';
  CREATE INDEX videos_unpublished_by_length ON videos (seconds, sort_key, status, category)
    WHERE status <> 'published';
  -- The few rows of a rare status or category, which the orders would have to be searched for.
  CREATE INDEX videos_unpublished_by_state ON videos (status, category)
    WHERE status <> 'published';
  -- Who may see a file: the row that a media address belongs to.
  CREATE INDEX videos_by_video_url ON videos (video_url);
  CREATE INDEX videos_by_thumbnail_url ON videos (thumbnail_url);

  -- The ids of the rows that have changed and that the projector has not processed yet. REPLACE fires
  -- no trigger for the row that it removes, but the new one has the same id.
  CREATE TABLE video_changes (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    video_id TEXT NOT NULL
  );
  CREATE TRIGGER videos_inserted AFTER INSERT ON videos BEGIN
    INSERT INTO video_changes (video_id) VALUES (NEW.id);
  END;
  CREATE TRIGGER videos_updated AFTER UPDATE ON videos BEGIN
    INSERT INTO video_changes (video_id) SELECT OLD.id UNION SELECT NEW.id;
    -- Another thumbnail that comes without its colours has none.
    UPDATE videos SET poster_colors = NULL WHERE number = NEW.number
      AND OLD.thumbnail_url IS NOT NEW.thumbnail_url AND OLD.poster_colors = NEW.poster_colors;
  END;
  -- A trigger and no foreign key: it holds for programs too that do not enforce keys.
  CREATE TRIGGER videos_deleted AFTER DELETE ON videos BEGIN
    INSERT INTO video_changes (video_id) VALUES (OLD.id);
    DELETE FROM jobs WHERE video_id = OLD.id;
    DELETE FROM video_digests WHERE video_id = OLD.id
      AND NOT EXISTS (SELECT 1 FROM deleted_videos WHERE id = OLD.id);
  END;

  -- What the projector has taken into account of each video: what its entries below were made from.
  CREATE TABLE projected_videos (
    id          TEXT PRIMARY KEY NOT NULL,
    sort_key    INTEGER NOT NULL,
    status      TEXT NOT NULL,
    category    TEXT NOT NULL,
    views       INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    -- Of title and tags, and of all columns but views and bytes.
    text_digest TEXT NOT NULL,
    digest      TEXT NOT NULL
  ) WITHOUT ROWID;

  -- How many videos of each status and category there are, how many of them were viewed, and the
  -- sums of their views and bytes.
  CREATE TABLE video_totals (
    status   TEXT NOT NULL,
    category TEXT NOT NULL,
    videos   INTEGER NOT NULL,
    viewed   INTEGER NOT NULL,
    views    INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    PRIMARY KEY (status, category)
  ) WITHOUT ROWID;

  -- Title and tags of every video, U+001F after each, so that nothing is found across two of them, and
  -- a whole tag is what stands between two. The status is not in here: a search asks the table for it, hit by hit.
  CREATE VIRTUAL TABLE video_search USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'trigram');
  -- For one and two characters: every such substring is a token, folded as trigrams are.
  CREATE VIRTUAL TABLE video_search_short USING fts5 (
    text, content = '', contentless_delete = 1, detail = none,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*' separators '\u001f'");
  -- An index merges its parts now and then, within whatever insert is next. With the default, four
  -- parts are enough for that, and among a million videos some inserts took 30 ms.
  INSERT INTO video_search (video_search, rank) VALUES ('automerge', 16), ('crisismerge', 64);
  INSERT INTO video_search_short (video_search_short, rank)
    VALUES ('automerge', 16), ('crisismerge', 64);

  -- The last changes of what is published, for the thread that holds the index of related videos.
  CREATE TABLE related_changes (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    sort_key INTEGER NOT NULL
  );

  -- How often the catalogue has changed, and how often nothing but view counts.
  CREATE TABLE catalogue_version (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    catalogue INTEGER NOT NULL DEFAULT 0,
    views     INTEGER NOT NULL DEFAULT 0
  );
  INSERT INTO catalogue_version (id) VALUES (1);
`;
