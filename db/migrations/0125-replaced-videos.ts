import type { Migration } from "../migrate.server";

/** As in 0060: title and tags of a row, with U+001F between them. */
const text = (row: string) => /* sql */ `${row}.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(${row}.tags) WHERE type = 'text'), '')`;

/** Keeps what the row of that id is, before a statement that may replace it. */
const note = /* sql */ `
  DELETE FROM replaced_videos;
  INSERT INTO replaced_videos
    SELECT id, rowid, ${text("videos")}, title, status, shelf, seconds, views, bytes, created_at
    FROM videos WHERE id = NEW.id;`;

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
    CREATE TRIGGER videos_replaced_noted BEFORE INSERT ON videos BEGIN ${note} END;
    CREATE TRIGGER videos_renamed_noted BEFORE UPDATE OF id ON videos WHEN OLD.id IS NOT NEW.id BEGIN
      ${note}
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
