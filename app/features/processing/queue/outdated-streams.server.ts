import type { Database } from "better-sqlite3";

/**
 * Selects videos whose stream wasn't encoded with the current settings (@settings). The source must still exist, since
 * the playable version has a lower quality than the stream that was encoded from the source.
 */
export const OUTDATED_SQL = /* sql */ `
  hls_url IS NOT NULL AND hls_settings IS NOT @settings AND source_removed_at IS NULL`;

/**
 * Returns the ids of videos with an outdated stream, alternating between the newest and the most viewed. Runs in a
 * worker thread.
 */
export function readOutdatedStreams(sqlite: Database) {
  const statement = sqlite.prepare<unknown[], string>(/* sql */ `
    SELECT id FROM (
      SELECT id, row_number() OVER (ORDER BY sort_key DESC) AS by_age,
        row_number() OVER (ORDER BY views DESC, sort_key DESC) AS by_views
      FROM videos WHERE ${OUTDATED_SQL})
    ORDER BY min(by_age, by_views), by_age`);
  return (settings: string) => statement.pluck().all({ settings });
}

/** How many ids one call returns. Once these videos have jobs, the next call returns the next ids. */
const POPULAR_BATCH_SIZE = 100;

/**
 * Returns the ids of public videos that have at least this many views and whose stream has no job for additional
 * codecs, the most viewed first. Runs in a worker thread, because it reads every popular video once all of them have
 * such a job.
 */
export function readPopularStreams(sqlite: Database) {
  const statement = sqlite.prepare<unknown[], string>(/* sql */ `
    SELECT id FROM videos
    WHERE listed AND views >= @views AND hls_url IS NOT NULL AND video_url <> ''
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE video_id = videos.id AND kind = 'codecs')
    ORDER BY views DESC LIMIT ${POPULAR_BATCH_SIZE}`);
  return (views: number) => statement.pluck().all({ views });
}

export interface SourceCounts {
  /** The original files that have been or will be replaced by a playable version. */
  sources: { videos: number; bytes: number };
  /** The original files of videos whose files have all been created. */
  converted: { videos: number; bytes: number };
  /** Previous versions of playable files. Their sizes are only recorded as part of their folder's size. */
  unrecorded: { url: string; isConverted: 0 | 1 }[];
  /** The number of videos whose source has been removed. */
  removed: number;
  /** The number of videos with an outdated stream whose source still exists. */
  outdated: number;
}

/**
 * Counts the sources and streams in the whole catalogue. Runs in a worker thread, because it reads an index entry for
 * each video.
 */
export function readSourceCounts(sqlite: Database) {
  const sources = sqlite.prepare<
    unknown[],
    SourceCounts["unrecorded"][number] & { bytes: number | null }
  >(/* sql */ `
    SELECT source_url AS url, video_url <> '' AND hls_url IS NOT NULL AS isConverted, files.bytes
    FROM videos LEFT JOIN media_files AS files
      ON files.bucket = 'videos' AND files.path = replace(source_url, '/media/videos/', '')
    WHERE source_url IS NOT NULL`);
  const streams = sqlite.prepare<unknown[], Pick<SourceCounts, "removed" | "outdated">>(/* sql */ `
    SELECT count(source_removed_at) AS removed, count(CASE WHEN ${OUTDATED_SQL} THEN 1 END) AS outdated
    FROM videos WHERE hls_url IS NOT NULL`);
  return (settings: string): SourceCounts => {
    const counts: SourceCounts = {
      ...{ sources: { videos: 0, bytes: 0 }, converted: { videos: 0, bytes: 0 } },
      ...{ unrecorded: [], ...streams.get({ settings })! },
    };
    for (const { url, isConverted, bytes } of sources.iterate()) {
      if (bytes === null) counts.unrecorded.push({ url, isConverted });
      for (const sum of isConverted ? [counts.sources, counts.converted] : [counts.sources]) {
        sum.videos += 1;
        sum.bytes += bytes ?? 0;
      }
    }
    return counts;
  };
}
