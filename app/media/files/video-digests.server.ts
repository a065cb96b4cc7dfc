import { prepared } from "~db/client.server";

/** The SHA-256 of each video's file as it arrived. Duplicates and the block list are found by it. */

/** Records the digest of a video's file, hexadecimal, as a part of a transaction. */
export function recordDigest(videoId: string, sha256: string): void {
  prepared(
    `INSERT INTO video_digests (video_id, sha256) VALUES (@videoId, @sha256)
     ON CONFLICT (video_id) DO UPDATE SET sha256 = excluded.sha256`,
  ).run({ videoId, sha256 });
}

/** Does the same for a video that has none yet, which another tool has inserted. Other rows than videos are passed over. */
export function recordFirstDigest(videoId: string, sha256: string): void {
  prepared(
    `INSERT OR IGNORE INTO video_digests (video_id, sha256)
     SELECT id, @sha256 FROM videos WHERE id = @videoId`,
  ).run({ videoId, sha256 });
}
