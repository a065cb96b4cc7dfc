import type { Migration } from "../migrate.server";

/**
 * Published videos that nobody can watch yet, which the public lists leave out: few, however many are
 * published. And those that are watched while their stream is made, by its address.
 */
export const migration: Migration = {
  name: "0205-preparing",
  sql: /* sql */ `
    CREATE INDEX videos_preparing ON videos (number, category, views, sort_key)
      WHERE status = 'published' AND video_url = '' AND source_url IS NOT NULL AND hls_url IS NULL;
    CREATE INDEX videos_by_growing_stream ON videos (hls_url)
      WHERE video_url = '' AND hls_url IS NOT NULL;
  `,
};
