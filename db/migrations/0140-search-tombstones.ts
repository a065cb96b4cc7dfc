import type { Migration } from "../migrate.server";

const PLACES_OF_A_MS = 2 ** 21;
const PLACES_OF_A_CATEGORY_SLOT = 8;
const HOUR_MS = 3_600_000;
const LOG_TRIMMED_EVERY = 128;
const LOG_KEPT = 10_000;

/** As in 0070: every substring of one and two characters of a text, separated by U+001F. */
const grams = (text: string) => /* sql */ `(
  SELECT group_concat(substr(t, i, 1) || char(31) || substr(t, i, 2), char(31))
  FROM (WITH RECURSIVE n (i, t) AS (
          SELECT 1, ${text} UNION ALL SELECT i + 1, t FROM n WHERE i < length(t))
        SELECT i, t FROM n))`;

/** As in 0060: title and tags of a row, with U+001F between them. */
const text = (row: string) => /* sql */ `${row}.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(${row}.tags) WHERE type = 'text'), '')`;

/** Takes a video off the list of what is published; its entries in the search indexes stay. */
const unlist = (id: string, text: string) => /* sql */ `
  INSERT INTO search_tombstones (place, text) SELECT place, ${text} FROM published WHERE id = ${id};
  DELETE FROM published WHERE id = ${id};`;

const forget = (index: string, text: string) => /* sql */ `
  INSERT INTO ${index} (${index}, rowid, text)
    SELECT 'delete', place, ${text}
    FROM published JOIN search_tombstones USING (place)
    WHERE id = NEW.id AND text IS NOT (SELECT text FROM listed_videos WHERE id = NEW.id);`;

const enter = (index: string, text: string) => /* sql */ `
  INSERT INTO ${index} (rowid, text)
    SELECT place, ${text} FROM published JOIN listed_videos USING (id)
    WHERE id = NEW.id AND NOT EXISTS (
      SELECT 1 FROM search_tombstones AS old
      WHERE old.place = published.place AND old.text IS listed_videos.text);`;

/** As in 0070; where a tombstone of the same text has the place, the index has the entry already. */
const list = /* sql */ `
  INSERT INTO published (place, id, category, views)
    SELECT category | CASE
      WHEN last IS NULL THEN first_place
      WHEN last < first_place + ${PLACES_OF_A_MS - PLACES_OF_A_CATEGORY_SLOT} THEN (last | 7) + 1
      ELSE ((SELECT max(place) FROM published
             WHERE place < first_place + ${HOUR_MS * PLACES_OF_A_MS}) | 7) + 1
    END, id, category, views
    FROM (SELECT *, (SELECT max(place) FROM published WHERE place >= first_place
                     AND place < first_place + ${PLACES_OF_A_MS}) AS last
          FROM listed_videos WHERE id = NEW.id);
  ${forget("published_text", "text")}
  ${forget("published_grams", grams("text"))}
  ${enter("published_text", "text")}
  ${enter("published_grams", grams("text"))}
  DELETE FROM search_tombstones WHERE place = (SELECT place FROM published WHERE id = NEW.id);`;

const ALL = 8;
const TRENDING = 9;

/** Finds the segment by one seek; as 0070 put it, half of the segments of the list were passed. */
const count = (by: number, list: string, row: string) => /* sql */ `
  UPDATE published_segments SET entries = entries + ${by}
  WHERE list = ${list} AND views = 0 AND place = (
    SELECT max(place) FROM published_segments
    WHERE list = ${list} AND views = 0 AND place <= ${row}.place);`;

const countTrending = (by: number, row: string) => /* sql */ `
  UPDATE published_segments SET entries = entries + ${by}
  WHERE ${row}.views > 0 AND (list, views, place) = (
    SELECT list, views, place FROM published_segments
    WHERE list = ${TRENDING} AND (views, place) <= (${row}.views, ${row}.place)
    ORDER BY views DESC, place DESC LIMIT 1);`;

const countEverywhere = (by: number, row: string) =>
  count(by, `${ALL}`, row) + count(by, `${row}.category`, row) + countTrending(by, row);

const LISTING_COLUMNS = ["id", "title", "category", "tags", "status", "created_at"];
const listingChanges = LISTING_COLUMNS.map((name) => `OLD.${name} IS NOT NEW.${name}`).join(" OR ");

export const migration: Migration = {
  name: "0140-search-tombstones",
  sql: /* sql */ `
    -- Taking a video out of the search indexes costs as much as entering it, and hiding a thousand
    -- took half a second. Now it leaves a tombstone: the place that searches pass over, and the text
    -- that the indexes need to forget it by. Deleting the tombstone makes them forget; the site does
    -- that soon after, a few at a time. A video that is published again before finds its entries.
    CREATE TABLE search_tombstones (
      place INTEGER PRIMARY KEY,
      text  TEXT NOT NULL
    );
    CREATE TRIGGER search_tombstones_deleted AFTER DELETE ON search_tombstones
      WHEN NOT EXISTS (SELECT 1 FROM published WHERE place = OLD.place) BEGIN
      INSERT INTO published_text (published_text, rowid, text)
        VALUES ('delete', OLD.place, OLD.text);
      INSERT INTO published_grams (published_grams, rowid, text)
        VALUES ('delete', OLD.place, ${grams("OLD.text")});
    END;

    -- After the change, not before it: UPDATE OR IGNORE may leave the row as it was. What an UPDATE
    -- OR REPLACE of an id takes away is noted before it, as for an insert (0125).
    DROP TRIGGER videos_unlist_updated;
    DROP TRIGGER videos_list_updated;
    DROP TRIGGER videos_unlist_deleted;
    DROP TRIGGER videos_list_inserted;
    CREATE TRIGGER videos_list_updated AFTER UPDATE OF ${LISTING_COLUMNS.join(", ")} ON videos
      WHEN (OLD.status = 'published' OR NEW.status = 'published') AND (${listingChanges}) BEGIN
      ${unlist("OLD.id", text("OLD"))}
      ${unlist("NEW.id", "(SELECT text FROM replaced_videos WHERE id = NEW.id)")}
      ${list}
    END;
    CREATE TRIGGER videos_unlist_deleted AFTER DELETE ON videos BEGIN
      ${unlist("OLD.id", text("OLD"))}
    END;
    CREATE TRIGGER videos_list_inserted AFTER INSERT ON videos BEGIN
      ${unlist("NEW.id", "(SELECT text FROM replaced_videos WHERE id = NEW.id)")}
      ${list}
    END;

    DROP TRIGGER published_counted_in;
    DROP TRIGGER published_counted_out;
    CREATE TRIGGER published_counted_in AFTER INSERT ON published BEGIN
      ${countEverywhere(1, "NEW")}
      INSERT INTO published_log (place, present) VALUES (NEW.place, 1);
    END;
    CREATE TRIGGER published_counted_out AFTER DELETE ON published BEGIN
      ${countEverywhere(-1, "OLD")}
      INSERT INTO published_log (place, present) VALUES (OLD.place, 0);
    END;
    -- Not after each row.
    DROP TRIGGER published_log_trimmed;
    CREATE TRIGGER published_log_trimmed AFTER INSERT ON published_log
      WHEN NEW.seq % ${LOG_TRIMMED_EVERY} = 0 BEGIN
      DELETE FROM published_log WHERE seq <= NEW.seq - ${LOG_KEPT};
    END;
  `,
};
