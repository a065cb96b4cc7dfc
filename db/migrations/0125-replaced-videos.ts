import type { Migration } from "../migrate.server";

/** As in 0070: every substring of one and two characters of a text, separated by U+001F. */
const grams = (text: string) => /* sql */ `(
  SELECT group_concat(substr(t, i, 1) || char(31) || substr(t, i, 2), char(31))
  FROM (WITH RECURSIVE n (i, t) AS (
          SELECT 1, ${text} UNION ALL SELECT i + 1, t FROM n WHERE i < length(t))
        SELECT i, t FROM n))`;

/** As in 0060: title and tags of a row, with U+001F between them. */
const text = (row: string) => /* sql */ `${row}.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(${row}.tags) WHERE type = 'text'), '')`;

const PLACES_OF_A_MS = 2 ** 21;
const PLACES_OF_A_CATEGORY_SLOT = 8;
const HOUR_MS = 3_600_000;

export const migration: Migration = {
  name: "0125-replaced-videos",
  sql: /* sql */ `
    -- REPLACE fires no delete trigger, so what is derived from the old row went before each insert.
    -- But INSERT OR IGNORE and ON CONFLICT fire that trigger too and then leave the row in its
    -- place: such a video was in no list any more. Now an insert only notes what it may replace,
    -- and the old row is taken out after it, when it really has been replaced.
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
    DROP TRIGGER videos_unlist_replaced;
    DROP TRIGGER videos_text_replaced;
    CREATE TRIGGER videos_replaced_noted BEFORE INSERT ON videos BEGIN
      DELETE FROM replaced_videos;
      INSERT INTO replaced_videos
        SELECT id, rowid, ${text("videos")}, title, status, shelf, seconds, views, bytes, created_at
        FROM videos WHERE id = NEW.id;
    END;

    DROP TRIGGER videos_list_inserted;
    CREATE TRIGGER videos_list_inserted AFTER INSERT ON videos BEGIN
      INSERT INTO published_text (published_text, rowid, text)
        SELECT 'delete', place, text FROM published JOIN replaced_videos USING (id)
        WHERE id = NEW.id;
      INSERT INTO published_grams (published_grams, rowid, text)
        SELECT 'delete', place, ${grams("text")} FROM published JOIN replaced_videos USING (id)
        WHERE id = NEW.id;
      DELETE FROM published WHERE id = NEW.id;
      INSERT INTO published (place, id, category, views)
        SELECT category | CASE
          WHEN last IS NULL THEN first_place
          WHEN last < first_place + ${PLACES_OF_A_MS - PLACES_OF_A_CATEGORY_SLOT}
            THEN (last | 7) + 1
          ELSE ((SELECT max(place) FROM published
                 WHERE place < first_place + ${HOUR_MS * PLACES_OF_A_MS}) | 7) + 1
        END, id, category, views
        FROM (SELECT *, (SELECT max(place) FROM published WHERE place >= first_place
                         AND place < first_place + ${PLACES_OF_A_MS}) AS last
              FROM listed_videos WHERE id = NEW.id);
      INSERT INTO published_text (rowid, text)
        SELECT place, text FROM published JOIN listed_videos USING (id) WHERE id = NEW.id;
      INSERT INTO published_grams (rowid, text)
        SELECT place, ${grams("text")} FROM published JOIN listed_videos USING (id)
        WHERE id = NEW.id;
    END;

    DROP TRIGGER videos_text_inserted;
    CREATE TRIGGER videos_text_inserted AFTER INSERT ON videos BEGIN
      INSERT INTO managed_text (managed_text, rowid, text)
        SELECT 'delete', number, text FROM replaced_videos WHERE id = NEW.id;
      INSERT INTO managed_text (rowid, text) VALUES (NEW.rowid, ${text("NEW")});
    END;

    CREATE TRIGGER videos_tallied_by_replace AFTER INSERT ON videos BEGIN
      UPDATE video_tallies SET videos = videos - 1, views = video_tallies.views - replaced.views,
          bytes = video_tallies.bytes - replaced.bytes
        FROM replaced_videos AS replaced
        WHERE replaced.id = NEW.id AND video_tallies.status = replaced.status
          AND video_tallies.shelf = replaced.shelf;
    END;
  `,
};
