import { type Artifact, isSingleFrame, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import { grayFrames } from "~/media/encode/frames.server";
import type { Task } from "~/media/encode/task.server";
import type { Probe } from "~/media/probe/probe.server";
import { prepared, transaction } from "~db/client.server";
import type { JobRow } from "~db/schema";
import { queryThread } from "~db/threads/query-thread.server";
import { retryWhileBusy } from "~db/write-lock";
import {
  deleteFrames,
  findBlockedVideos,
  recordedFrames,
  recordFrames,
} from "./block-list-matches.server";
import { hashComparedFrames } from "./hash-frames.server";
import {
  FINGERPRINT_FRAMES,
  type FingerprintedVideo,
  fingerprintOf,
  HASH_BYTES,
  HASHED_SIDE,
  perceptualHash,
} from "./perceptual-hash";

const RESULT_WAIT_MS = 60_000;

/**
 * Records a video's fingerprint and finds similar videos. The fingerprint is recorded before the search, so that if two
 * similar videos are processed in parallel, one finds the other. The video is also compared with the block list, even
 * if it was already compared when it was uploaded.
 */
export async function fingerprintVideo(
  job: JobRow,
  source: Source,
  probe: Probe,
  task: Task,
): Promise<Artifact> {
  if (isSingleFrame(probe)) return NO_ARTIFACT;
  const step = probe.durationSeconds / FINGERPRINT_FRAMES;
  const times = Array.from({ length: FINGERPRINT_FRAMES }, (_, index) => (index + 0.5) * step);
  const grayImages = await grayFrames(source.playedFile, probe, times, HASHED_SIDE, task);
  // An unreadable frame gets an empty hash.
  const hashes = grayImages.map((image) =>
    image ? perceptualHash(image) : new Uint8Array(HASH_BYTES),
  );
  const video = {
    videoId: job.video_id,
    seconds: probe.durationSeconds,
    fingerprint: fingerprintOf(hashes),
  };
  await retryWhileBusy(() => recordFingerprint(video), RESULT_WAIT_MS);
  const similar = await queryThread<string[]>("studio", "similar-videos", video);
  let frames = recordedFrames(job.video_id);
  if (!frames) {
    const taken = await hashComparedFrames(source.playedFile, probe, task);
    frames = taken;
    await retryWhileBusy(
      () => transaction(() => recordFrames(job.video_id, taken)),
      RESULT_WAIT_MS,
    );
  }
  return { ...NO_ARTIFACT, similar, blocked: await findBlockedVideos(frames) };
}

function recordFingerprint({ videoId, seconds, fingerprint }: FingerprintedVideo): Promise<void> {
  return transaction(() => {
    prepared(
      `INSERT OR REPLACE INTO video_fingerprints (video_id, seconds, hashes)
       SELECT id, @seconds, @fingerprint FROM videos WHERE id = @videoId`,
    ).run({ videoId, seconds, fingerprint });
  });
}

/** Enqueues a video's duplicate check once its storyboard exists. Must be called inside a transaction. */
export function enqueueFingerprint(videoId: string, priority: number): void {
  prepared(
    `INSERT OR IGNORE INTO jobs (video_id, kind, priority)
     SELECT id, 'fingerprint', @priority FROM videos WHERE id = @videoId`,
  ).run({ videoId, priority });
}

/** Records pairs of similar videos. Dismissed pairs stay dismissed. Must be called inside a transaction. */
export function recordPairs(videoId: string, similar: readonly string[]): void {
  prepared(
    "DELETE FROM similar_videos WHERE dismissed_at IS NULL AND (first = @id OR second = @id)",
  ).run({ id: videoId });
  const add = prepared(
    `INSERT OR IGNORE INTO similar_videos (first, second)
     SELECT min(@id, id), max(@id, id) FROM videos WHERE id = @other`,
  );
  for (const other of similar) add.run({ id: videoId, other });
}

/**
 * Deletes the fingerprint and the pairs that belong to a video's previous file. Must be called inside a transaction.
 */
export function deleteFingerprint(videoId: string): void {
  deleteFrames(videoId);
  prepared("DELETE FROM video_fingerprints WHERE video_id = ?").run(videoId);
  prepared("DELETE FROM similar_videos WHERE first = @id OR second = @id").run({ id: videoId });
}
