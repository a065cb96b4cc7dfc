import type { Migration } from "../migrate.server";

/**
 * What is public, kept in the order that the site shows it, counted and searchable.
 *
 * Triggers in plain SQL keep all of it, so that it follows whoever writes to `videos`: this
 * process, a script, or the sqlite3 shell.
 */

/** Bits of a place below the millisecond: 18 for order within it, 3 for the category. */
const PLACES_OF_A_MS = 2 ** 21;
const PLACES_OF_A_CATEGORY_SLOT = 8;
const HOUR_MS = 3_600_000;

/** Entries of a segment before it is split in two. */
const SEGMENT_MOST = 2_048;
const SEGMENT_HALF = SEGMENT_MOST / 2;

/** Lists 0 to 4 are the categories in the order of their codes. */
const ALL = 8;
const TRENDING = 9;

const LOG_KEPT = 10_000;

/**
 * Every substring of one and two characters of a text, separated by U+001F. The text travels through
 * the recursion, so that it is put together once and not for every character.
 */
const grams = (text: string) => /* sql */ `(
  SELECT group_concat(substr(t, i, 1) || char(31) || substr(t, i, 2), char(31))
  FROM (WITH RECURSIVE n (i, t) AS (
          SELECT 1, ${text} UNION ALL SELECT i + 1, t FROM n WHERE i < length(t))
        SELECT i, t FROM n))`;

const unlist = (ids: string) => /* sql */ `
  INSERT INTO published_text (published_text, rowid, text)
    SELECT 'delete', place, text FROM published JOIN listed_videos USING (id) WHERE id IN (${ids});
  INSERT INTO published_grams (published_grams, rowid, text)
    SELECT 'delete', place, ${grams("text")}
    FROM published JOIN listed_videos USING (id) WHERE id IN (${ids});
  DELETE FROM published WHERE id IN (${ids});`;

/** Takes the next free slot of its millisecond; after 262,144 of one, behind the last of the hour. */
const place = /* sql */ `
  INSERT INTO published (place, id, category, views)
    SELECT category | CASE
      WHEN last IS NULL THEN first_place
      WHEN last < first_place + ${PLACES_OF_A_MS - PLACES_OF_A_CATEGORY_SLOT} THEN (last | 7) + 1
      ELSE ((SELECT max(place) FROM published
             WHERE place < first_place + ${HOUR_MS * PLACES_OF_A_MS}) | 7) + 1
    END, id, category, views
    FROM (SELECT *, (SELECT max(place) FROM published WHERE place >= first_place
                     AND place < first_place + ${PLACES_OF_A_MS}) AS last
          FROM listed_videos WHERE id = NEW.id);`;

const list = /* sql */ `
  ${place}
  INSERT INTO published_text (rowid, text)
    SELECT place, text FROM published JOIN listed_videos USING (id) WHERE id = NEW.id;
  INSERT INTO published_grams (rowid, text)
    SELECT place, ${grams("text")} FROM published JOIN listed_videos USING (id) WHERE id = NEW.id;`;

const LISTING_COLUMNS = ["id", "title", "category", "tags", "status", "created_at"];
const listingChanges = LISTING_COLUMNS.map((name) => `OLD.${name} IS NOT NEW.${name}`).join(" OR ");

const count = (by: number, of: string, views: string, row: string) => /* sql */ `
  UPDATE published_segments SET entries = entries + ${by}
  WHERE (list, views, place) = (
    SELECT list, views, place FROM published_segments
    WHERE list = ${of} AND (views, place) <= (${views}, ${row}.place)
    ORDER BY views DESC, place DESC LIMIT 1);`;

const countTrending = (by: number, row: string) => /* sql */ `
  UPDATE published_segments SET entries = entries + ${by}
  WHERE ${row}.views > 0 AND (list, views, place) = (
    SELECT list, views, place FROM published_segments
    WHERE list = ${TRENDING} AND (views, place) <= (${row}.views, ${row}.place)
    ORDER BY views DESC, place DESC LIMIT 1);`;

const countEverywhere = (by: number, row: string) =>
  count(by, `${ALL}`, "0", row) + count(by, `${row}.category`, "0", row) + countTrending(by, row);

const log = (row: string, present: 0 | 1) => /* sql */ `
  INSERT INTO published_log (place, present) VALUES (${row}.place, ${present});`;

const split = (name: string, when: string, views: string, upper: string) => /* sql */ `
  CREATE TRIGGER published_segments_split_${name} AFTER UPDATE OF entries ON published_segments
  WHEN NEW.entries > ${SEGMENT_MOST} AND ${when} BEGIN
    INSERT INTO published_segments (list, views, place, entries)
      SELECT NEW.list, ${views}, place, NEW.entries - ${SEGMENT_HALF} FROM published
      WHERE ${upper} LIMIT 1 OFFSET ${SEGMENT_HALF};
    UPDATE published_segments SET entries = ${SEGMENT_HALF}
      WHERE list = NEW.list AND views = NEW.views AND place = NEW.place;
  END;`;

export const migration: Migration = {
  name: "0070-published-order-and-search",
  sql: /* sql */ `
    -- One row for each published video. Its place sorts as created_at does, the later entered first
    -- among equals: milliseconds since 2000 (to 2139; what is no time counts as 2000), 18 bits of
    -- order within the millisecond, 3 bits of category. Being the rowid of the search index, it makes
    -- a search come out newest first, and tell its categories, without looking anything up.
    CREATE TABLE published (
      place    INTEGER PRIMARY KEY,
      id       TEXT NOT NULL UNIQUE,
      category INTEGER NOT NULL,
      views    INTEGER NOT NULL
    );
    CREATE INDEX published_by_category ON published (category, place);
    CREATE INDEX published_by_views ON published (views, place) WHERE views > 0;
    DROP INDEX videos_by_age;
    DROP INDEX videos_by_category;
    DROP INDEX videos_by_views;

    -- How each published video is to be entered. The text is its title and its tags with U+001F
    -- between them, so that nothing is found across two of them.
    CREATE VIEW listed_videos AS
      SELECT id, views,
        max(0, min(4398046511103, coalesce(
          CAST(round((julianday(created_at) - 2451544.5) * 86400000) AS INTEGER), 0)))
          * ${PLACES_OF_A_MS} AS first_place,
        CASE category WHEN 'desi' THEN 0 WHEN 'amateur' THEN 0
                      WHEN 'blacked' THEN 1 WHEN 'professional' THEN 1
                      WHEN 'english' THEN 2 WHEN 'couples' THEN 2
                      WHEN 'pornstar' THEN 3 WHEN 'solo' THEN 3
                      ELSE 4 END AS category,
        title || char(31) || coalesce((
          SELECT group_concat(value, char(31)) FROM json_each(tags) WHERE type = 'text'), '') AS text
      FROM videos WHERE status = 'published';

    -- Searched by three characters and more.
    CREATE VIRTUAL TABLE published_text USING fts5 (
      text, content = '', columnsize = 0, tokenize = 'trigram');
    -- Searched by one and two characters: every such substring is a token, folded as trigrams are.
    CREATE VIRTUAL TABLE published_grams USING fts5 (
      text, content = '', columnsize = 0, detail = none,
      tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Z* C*' separators '\u001f'");

    -- Entering and leaving. REPLACE fires no delete trigger, hence the one before an insert.
    CREATE TRIGGER videos_unlist_replaced BEFORE INSERT ON videos BEGIN ${unlist("NEW.id")} END;
    CREATE TRIGGER videos_list_inserted AFTER INSERT ON videos BEGIN ${list} END;
    CREATE TRIGGER videos_unlist_updated BEFORE UPDATE OF ${LISTING_COLUMNS.join(", ")} ON videos
      WHEN ${listingChanges} BEGIN ${unlist("OLD.id, NEW.id")} END;
    CREATE TRIGGER videos_list_updated AFTER UPDATE OF ${LISTING_COLUMNS.join(", ")} ON videos
      WHEN ${listingChanges} BEGIN ${list} END;
    CREATE TRIGGER videos_unlist_deleted BEFORE DELETE ON videos BEGIN ${unlist("OLD.id")} END;
    CREATE TRIGGER videos_relist_viewed AFTER UPDATE OF views ON videos
      WHEN OLD.views <> NEW.views BEGIN
      UPDATE published SET views = NEW.views WHERE id = NEW.id;
    END;

    -- Each list cut into segments of at most ${SEGMENT_MOST} entries with their counts: a total is
    -- the sum of about a thousand numbers, and page 100,000 is found without passing the pages
    -- before it. A segment begins at (views, place) and ends where the next begins; views are 0
    -- but in the list of trending.
    CREATE TABLE published_segments (
      list    INTEGER NOT NULL,
      views   INTEGER NOT NULL,
      place   INTEGER NOT NULL,
      entries INTEGER NOT NULL,
      PRIMARY KEY (list, views, place)
    ) WITHOUT ROWID;
    INSERT INTO published_segments (list, views, place, entries) VALUES
      (0, 0, -1, 0), (1, 0, -1, 0), (2, 0, -1, 0), (3, 0, -1, 0), (4, 0, -1, 0),
      (${ALL}, 0, -1, 0), (${TRENDING}, 0, -1, 0);
    ${split("all", `NEW.list = ${ALL}`, "0", "place >= NEW.place ORDER BY place")}
    ${split(
      "category",
      `NEW.list < ${ALL}`,
      "0",
      "category = NEW.list AND place >= NEW.place ORDER BY place",
    )}
    ${split(
      "trending",
      `NEW.list = ${TRENDING}`,
      "views",
      "views > 0 AND (views, place) >= (NEW.views, NEW.place) ORDER BY views, place",
    )}
    CREATE TRIGGER published_segments_emptied AFTER UPDATE OF entries ON published_segments
      WHEN NEW.entries = 0 AND NEW.place >= 0 BEGIN
      DELETE FROM published_segments
        WHERE list = NEW.list AND views = NEW.views AND place = NEW.place;
    END;

    -- The last changes of what is published, for those who hold an index of it in memory. Of views
    -- only the passing of 10,000 and of 50,000 matters to them.
    CREATE TABLE published_log (
      seq     INTEGER PRIMARY KEY AUTOINCREMENT,
      place   INTEGER NOT NULL,
      present INTEGER NOT NULL
    );
    CREATE TRIGGER published_log_trimmed AFTER INSERT ON published_log BEGIN
      DELETE FROM published_log WHERE seq <= NEW.seq - ${LOG_KEPT};
    END;

    CREATE TRIGGER published_counted_in AFTER INSERT ON published BEGIN
      ${countEverywhere(1, "NEW")} ${log("NEW", 1)}
    END;
    CREATE TRIGGER published_counted_out AFTER DELETE ON published BEGIN
      ${countEverywhere(-1, "OLD")} ${log("OLD", 0)}
    END;
    CREATE TRIGGER published_moved AFTER UPDATE OF views ON published BEGIN
      ${countTrending(-1, "OLD")} ${countTrending(1, "NEW")}
    END;
    CREATE TRIGGER published_passed_a_mark AFTER UPDATE OF views ON published
      WHEN (OLD.views > 10000) <> (NEW.views > 10000) OR (OLD.views > 50000) <> (NEW.views > 50000)
      BEGIN ${log("NEW", 1)}
    END;

    -- The videos that are there already.
    INSERT INTO published (place, id, category, views)
      SELECT first_place + category + ${PLACES_OF_A_CATEGORY_SLOT}
        * (row_number() OVER (PARTITION BY first_place ORDER BY id DESC) - 1), id, category, views
      FROM listed_videos ORDER BY 1;
    INSERT INTO published_text (rowid, text)
      SELECT place, text FROM published JOIN listed_videos USING (id) ORDER BY place;
    INSERT INTO published_grams (rowid, text)
      SELECT place, ${grams("text")} FROM published JOIN listed_videos USING (id) ORDER BY place;
  `,
};
