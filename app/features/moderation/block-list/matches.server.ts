import type { Database } from "better-sqlite3";

export const MATCHES_SHOWN = 50;

/** A video on this site that is byte-identical or similar to a video on the block list. */
export interface Match {
  id: string;
  title: string;
  isSame: boolean;
}

/**
 * Returns the task that finds the videos matching the block list, newest first. The task runs in the query thread,
 * because it looks up every video's digest in the list, which may contain far more entries than the catalogue.
 */
export function readMatches(sqlite: Database) {
  const matches = sqlite.prepare<[], Omit<Match, "isSame"> & { isSame: number }>(
    `SELECT videos.id, title, max(isSame) AS isSame FROM (
       SELECT video_digests.video_id, 1 AS isSame FROM video_digests
         CROSS JOIN blocked_files USING (sha256)
         CROSS JOIN blocked_videos ON blocked_videos.id = blocked_video_id
       WHERE removed_at IS NULL
       UNION ALL
       SELECT video_id, 0 FROM block_list_matches WHERE dismissed_at IS NULL
     ) JOIN videos ON videos.id = video_id GROUP BY videos.id ORDER BY sort_key DESC LIMIT ${MATCHES_SHOWN}`,
  );
  return (): Match[] => matches.all().map((row) => ({ ...row, isSame: row.isSame === 1 }));
}
