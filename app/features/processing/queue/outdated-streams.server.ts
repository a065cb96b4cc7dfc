import type { Database } from "better-sqlite3";

/**
 * Selects videos whose stream was encoded with other settings than the current ones (@settings). Requires that the
 * source still exists: the playable version has a lower quality than the stream that was made from the source.
 */
export const OUTDATED_SQL = /* sql */ `
  hls_url IS NOT NULL AND hls_settings IS NOT @settings AND source_removed_at IS NULL`;

/** Returns the ids of videos with an outdated stream, alternating the newest and the most viewed. Runs on a thread. */
export function readOutdatedStreams(sqlite: Database) {
  const statement = sqlite.prepare<unknown[], string>(/* sql */ `
    SELECT id FROM (
      SELECT id, row_number() OVER (ORDER BY sort_key DESC) AS by_age,
        row_number() OVER (ORDER BY views DESC, sort_key DESC) AS by_views
      FROM videos WHERE ${OUTDATED_SQL})
    ORDER BY min(by_age, by_views), by_age`);
  return (settings: string) => statement.pluck().all({ settings });
}

/** The next call returns the following ones, since these have jobs by then. */
const POPULAR_BATCH_SIZE = 100;

/**
 * Returns the ids of public videos with at least this many views whose stream has no job for additional codecs, the
 * most viewed first. Runs on a thread, because it reads every popular video once all of them have such a job.
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
  /** Original files that have been or will be replaced by a playable version. */
  sources: { videos: number; bytes: number };
  /** Those of videos for which everything has been created. */
  converted: { videos: number; bytes: number };
  /** Earlier versions of playable files. Their sizes are recorded only as a part of their folder's. */
  unrecorded: { url: string; isConverted: 0 | 1 }[];
  /** The number of videos whose source was removed. */
  removed: number;
  /** The number of videos with an outdated stream whose source still exists. */
  outdated: number;
}

/** Counts the sources and streams of the whole catalogue. Runs on a thread: it reads an index entry for each video. */
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
