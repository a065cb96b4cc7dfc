import { jobs } from "./0200-baseline";
import { catalogue } from "./baseline-catalogue";

/** The migrations that the baseline was made of: a database that has run them all is brought over. */
export const BEFORE_BASELINE = [
  "0001-videos-users-sessions",
  "0010-studio",
  "0020-accounts",
  "0030-jobs",
  "0040-uploads",
  "0060-managed-search",
  "0070-published-order-and-search",
  "0080-imports",
  "0090-managed-search-for-older-sqlite",
  "0100-captions",
  "0120-search-merges",
  "0125-replaced-videos",
  "0130-managed-segments",
  "0140-search-tombstones",
  "0150-managed-orders-without-status",
  "0160-poster-colors",
];

const DERIVED = [
  ...["managed_text", "published_text", "published_grams", "search_tombstones"],
  ...["published", "published_segments", "published_log", "replaced_videos", "video_tallies"],
  ...["managed_by_age", "managed_by_views", "managed_by_title"],
  ...["managed_by_length", "managed_by_size", "catalogue_changes"],
];

const COLUMNS = `id, title, description, category, tags, duration, video_url, thumbnail_url,
  uploaded_by, status, views, created_at, updated_at, bytes, source_url, hls_url, storyboard_url,
  preview_url, captions, poster_colors`;

/**
 * Makes the catalogue anew and enters its rows in their order; the triggers tell the projector, which
 * derives the rest. Jobs get today's names: `playable` becomes `transcode`, `tidy` becomes `cleanup`, and
 * one that was `parked` has `failed`. All other tables are as the baseline has them.
 */
export const fromBeforeBaseline = /* sql */ `
  DROP TRIGGER media_file_added;
  DROP TRIGGER media_file_removed;
  DROP TRIGGER media_file_changed;
  CREATE TEMP TABLE videos_before AS SELECT rowid AS number, ${COLUMNS} FROM videos;
  -- Its triggers and indexes go with it.
  DROP TABLE videos;
  DROP VIEW listed_videos;
  ${DERIVED.map((table) => `DROP TABLE ${table};`).join("\n  ")}
  CREATE TEMP TABLE jobs_before AS SELECT * FROM jobs;
  DROP TABLE jobs;
  ${jobs}
  INSERT INTO jobs (id, video_id, kind, priority, state, attempts, run_after, worker, lease_until, progress, speed,
    seconds_left, reason, created_at, started_at, finished_at)
  SELECT id, video_id,
    CASE kind WHEN 'playable' THEN 'transcode' WHEN 'tidy' THEN 'cleanup' ELSE kind END, priority,
    CASE state WHEN 'parked' THEN 'failed' ELSE state END, attempts, run_after, worker, lease_until,
    progress, speed, seconds_left, reason, created_at, started_at, finished_at
  FROM temp.jobs_before;
  DROP TABLE temp.jobs_before;
  ${catalogue}
  INSERT INTO videos (number, ${COLUMNS})
    SELECT number, ${COLUMNS} FROM temp.videos_before ORDER BY number;
  DROP TABLE temp.videos_before;
`;
