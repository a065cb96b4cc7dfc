import type { Database } from "better-sqlite3";

/**
 * A stream that today's settings would make otherwise, of a video whose source is there: what is played
 * instead has less of it than the stream. @settings are today's.
 */
export const OUTDATED_SQL = /* sql */ `
  hls_url IS NOT NULL AND hls_settings IS NOT @settings AND source_removed_at IS NULL`;

/** The ids of the videos with such a stream, by turns the newest and the most viewed. Runs on a thread. */
export function readOutdatedStreams(sqlite: Database) {
  const statement = sqlite.prepare<unknown[], string>(/* sql */ `
    SELECT id FROM (
      SELECT id, row_number() OVER (ORDER BY sort_key DESC) AS by_age,
        row_number() OVER (ORDER BY views DESC, sort_key DESC) AS by_views
      FROM videos WHERE ${OUTDATED_SQL})
    ORDER BY min(by_age, by_views), by_age`);
  return (settings: string) => statement.pluck().all({ settings });
}

/** So many at once; the next ones follow when it is asked again. */
const POPULAR_AT_ONCE = 100;

/**
 * The ids of public videos with so many views whose stream has no further codec and waits for none, the most
 * viewed first. Runs on a thread: where all of them have one, it reads every popular video.
 */
export function readPopularStreams(sqlite: Database) {
  const statement = sqlite.prepare<unknown[], string>(/* sql */ `
    SELECT id FROM videos
    WHERE listed AND views >= @views AND hls_url IS NOT NULL AND video_url <> ''
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE video_id = videos.id AND kind = 'codecs')
    ORDER BY views DESC LIMIT ${POPULAR_AT_ONCE}`);
  return (views: number) => statement.pluck().all({ views });
}

export interface SourceCounts {
  /** The files as they came, where another one is played or will be. */
  sources: { videos: number; bytes: number };
  /** Those of videos that have all that is made from them. */
  converted: { videos: number; bytes: number };
  /** Versions of played files that were replaced: their bytes are recorded with the folder they stand in. */
  unrecorded: { url: string; isConverted: 0 | 1 }[];
  /** Videos whose source was removed. */
  removed: number;
  /** Videos with a stream of other settings than today's, and with their source. */
  outdated: number;
}

/** Sources and streams of the whole catalogue. Runs on a thread: it reads an index entry for each video. */
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
