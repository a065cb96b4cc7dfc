import type { Migration } from "../migrate.server";

/** Title and tags of a row, with U+001F between them, so that nothing is found across two of them. */
const text = (row: string) => /* sql */ `${row}.title || char(31) || coalesce((
  SELECT group_concat(value, char(31)) FROM json_each(${row}.tags) WHERE type = 'text'), '')`;

export const migration: Migration = {
  name: "0060-managed-search",
  sql: /* sql */ `
    -- The studio searches all videos, whatever their status; hiding one costs nothing here. The key
    -- is the rowid of videos. VACUUM keeps it, because videos has indexes (xferOptimization in
    -- SQLite's insert.c); that is not promised, so the site looks at its start whether it still holds.
    CREATE VIRTUAL TABLE managed_text USING fts5 (
      text, content = '', contentless_delete = 1, tokenize = 'trigram');
    INSERT INTO managed_text (rowid, text) SELECT rowid, ${text("videos")} FROM videos;

    -- Deleting first is for REPLACE, which fires no delete trigger.
    CREATE TRIGGER videos_text_inserted AFTER INSERT ON videos BEGIN
      DELETE FROM managed_text WHERE rowid = NEW.rowid;
      INSERT INTO managed_text (rowid, text) VALUES (NEW.rowid, ${text("NEW")});
    END;
    CREATE TRIGGER videos_text_updated AFTER UPDATE OF title, tags ON videos
      WHEN OLD.title <> NEW.title OR OLD.tags IS NOT NEW.tags BEGIN
      DELETE FROM managed_text WHERE rowid = NEW.rowid;
      INSERT INTO managed_text (rowid, text) VALUES (NEW.rowid, ${text("NEW")});
    END;
    CREATE TRIGGER videos_text_deleted AFTER DELETE ON videos BEGIN
      DELETE FROM managed_text WHERE rowid = OLD.rowid;
    END;
  `,
};
