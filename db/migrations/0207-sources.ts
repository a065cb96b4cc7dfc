import type { Migration } from "../migrate.server";

/** What a stream was made with, and which videos have lost the file that they came as. */
export const migration: Migration = {
  name: "0207-sources",
  sql: /* sql */ `
    -- What the adaptive stream was made with, see encoders.server.ts; null for one of before.
    ALTER TABLE videos ADD COLUMN hls_settings TEXT;
    -- When the file as it came was removed for the room that it took; null where a copy has all of it.
    ALTER TABLE videos ADD COLUMN source_removed_at TEXT;
    CREATE INDEX videos_by_source_url ON videos (source_url) WHERE source_url IS NOT NULL;
    -- Which streams are to be made again is counted from the index alone.
    CREATE INDEX videos_by_hls_settings ON videos (hls_settings, source_removed_at)
      WHERE hls_url IS NOT NULL;
  `,
};
