import type { Migration } from "../migrate.server";

/** Title and tags of a row, with U+001F between them, so that nothing is found across two of them. */
const text = (row: string) => /* sql */ `${row}.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(${row}.tags) WHERE type = 'text'), '')`;

export const migration: Migration = {
  name: "0090-managed-search-for-older-sqlite",
  sql: /* sql */ `
    -- contentless_delete is known to SQLite 3.43 and newer only: the sqlite3 shell of many a system
    -- could not write a single video while the index of the studio had it. Without it, what leaves
    -- the index is named by its text, as the triggers know it.
    DROP TRIGGER videos_text_inserted;
    DROP TRIGGER videos_text_updated;
    DROP TRIGGER videos_text_deleted;
    DROP TABLE managed_text;
    CREATE VIRTUAL TABLE managed_text USING fts5 (
      text, content = '', columnsize = 0, tokenize = 'trigram');
    INSERT INTO managed_text (rowid, text) SELECT rowid, ${text("videos")} FROM videos;

    -- REPLACE fires no delete trigger, hence the one before an insert.
    CREATE TRIGGER videos_text_replaced BEFORE INSERT ON videos BEGIN
      INSERT INTO managed_text (managed_text, rowid, text)
        SELECT 'delete', rowid, ${text("videos")} FROM videos WHERE id = NEW.id;
    END;
    CREATE TRIGGER videos_text_inserted AFTER INSERT ON videos BEGIN
      INSERT INTO managed_text (rowid, text) VALUES (NEW.rowid, ${text("NEW")});
    END;
    CREATE TRIGGER videos_text_updated AFTER UPDATE OF title, tags ON videos
      WHEN OLD.title IS NOT NEW.title OR OLD.tags IS NOT NEW.tags BEGIN
      INSERT INTO managed_text (managed_text, rowid, text)
        VALUES ('delete', OLD.rowid, ${text("OLD")});
      INSERT INTO managed_text (rowid, text) VALUES (NEW.rowid, ${text("NEW")});
    END;
    CREATE TRIGGER videos_text_deleted AFTER DELETE ON videos BEGIN
      INSERT INTO managed_text (managed_text, rowid, text)
        VALUES ('delete', OLD.rowid, ${text("OLD")});
    END;
  `,
};
