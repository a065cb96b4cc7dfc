import type { Migration } from "../migrate.server";

export const migration: Migration = {
  name: "0160-poster-colors",
  sql: /* sql */ `
    -- What stands in the place of a picture while it is loading: the colours of its four quarters,
    -- 24 hexadecimal digits. Another picture that comes without its colours has none.
    ALTER TABLE videos ADD COLUMN poster_colors TEXT;
    CREATE TRIGGER videos_poster_colors_outdated AFTER UPDATE OF thumbnail_url ON videos
      WHEN OLD.thumbnail_url IS NOT NEW.thumbnail_url
        AND NEW.poster_colors IS NOT NULL AND NEW.poster_colors = OLD.poster_colors BEGIN
      UPDATE videos SET poster_colors = NULL WHERE id = NEW.id;
    END;
  `,
};
