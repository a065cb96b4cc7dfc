import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { hold, holdsOf, releaseHold, sourcesOf } from "~/features/visibility/holds.server";
import { isSingleFrame } from "~/media/encode/artifact";
import { createTask } from "~/media/encode/task.server";
import { removeTemporary, temporaryFolder } from "~/media/files/temporary-files.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { MAX_MEASURED_UPLOAD_BYTES, probe } from "~/media/probe/probe.server";
import { prepared, transaction } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { ComparisonBatch } from "./blocked-index.server";
import { hasBlockedFrames } from "./blocked-videos.server";
import type { Frames } from "./frame-hashes";
import { hashComparedFrames } from "./hash-frames.server";

/**
 * How long an upload waits for its comparison. If the comparison takes longer, the video is put on hold until a
 * background job has compared it.
 */
export const COMPARISON_TIMEOUT_MS = 20_000;

/** A file's frame hashes, and the ids of the blocked videos that the file resembles. */
export interface FileComparison {
  frames: Frames;
  blockedVideos: number[];
}

/**
 * Compares a file with the block list before the file's video is created.
 *
 * @returns undefined if there is nothing to compare, or "late" if the comparison failed or took too long.
 */
export async function compareFile(file: string): Promise<FileComparison | "late" | undefined> {
  if (!hasBlockedFrames() || !ffmpegAvailable()) return undefined;
  const folder = path.join(temporaryFolder(), `compare-${randomUUID()}`);
  const task = createTask(folder, () => {});
  const timer = setTimeout(() => task.abort(), COMPARISON_TIMEOUT_MS);
  try {
    const found = await probe(file, { measureUpTo: MAX_MEASURED_UPLOAD_BYTES });
    if (!found || isSingleFrame(found)) return undefined;
    await mkdir(folder, { recursive: true });
    const frames = await hashComparedFrames(file, found, task, true);
    return { frames, blockedVideos: await findBlockedVideos(frames) };
  } catch (error) {
    if (!task.signal.aborted) console.error("Could not compare a file with the block list:", error);
    return "late";
  } finally {
    clearTimeout(timer);
    await removeTemporary(folder);
  }
}

/** Returns the ids of the blocked videos that a video resembles. */
export function findBlockedVideos(frames: Frames): Promise<number[]> {
  return queryThread<number[]>("studio", "blocked-videos", frames);
}

/** Records a video's frame hashes. Must be called inside a transaction. */
export function recordFrames(videoId: string, { first, step, hashes }: Frames): void {
  prepared(
    `INSERT OR REPLACE INTO video_frames (video_id, first, step, frames)
     SELECT id, @first, @step, @hashes FROM videos WHERE id = @videoId`,
  ).run({ videoId, first, step, hashes });
}

/** Returns a video's recorded frame hashes. */
export function recordedFrames(videoId: string): Frames | undefined {
  return prepared<Frames>(
    "SELECT first, step, frames AS hashes FROM video_frames WHERE video_id = ?",
  ).get(videoId);
}

/**
 * Puts a video on hold if it resembles blocked videos, unless these matches have been dismissed. Must be called inside
 * a transaction.
 *
 * @returns whether the video is on hold.
 */
export function holdMatches(videoId: string, blockedVideos: readonly number[]): boolean {
  recordMatches(videoId, blockedVideos);
  const open = prepared<number>(
    "SELECT blocked_video_id FROM block_list_matches WHERE video_id = ? AND dismissed_at IS NULL",
  )
    .pluck()
    .all(videoId);
  for (const blocked of open) hold({ videoId, reason: "block-list", sourceId: String(blocked) });
  return open.length > 0;
}

/**
 * Puts videos on hold if their uploaded file is identical to a blocked video's file. Must be called inside the
 * transaction that adds the blocked video to the list.
 */
export function holdCopies(videoId: string, blockedVideo: number): void {
  const copies = prepared<string>(
    `SELECT DISTINCT copy.video_id FROM video_digests AS own
       JOIN video_digests AS copy ON copy.sha256 = own.sha256 AND copy.video_id <> own.video_id
       JOIN videos ON videos.id = copy.video_id
     WHERE own.video_id = ?`,
  ).pluck();
  for (const copy of copies.all(videoId)) holdMatches(copy, [blockedVideo]);
}

/**
 * Puts a video on hold until its job has compared it with the block list. Afterwards, compared.server.ts releases the
 * video. Must be called inside a transaction.
 */
export function holdUncompared(videoId: string): void {
  hold({ videoId, reason: "comparing" });
}

/** Records which blocked videos a video resembles. Must be called inside a transaction. */
function recordMatches(videoId: string, blockedVideos: readonly number[]): void {
  const add = prepared(
    `INSERT OR IGNORE INTO block_list_matches (video_id, blocked_video_id, found_at)
     SELECT videos.id, blocked_videos.id, @now FROM videos JOIN blocked_videos
     WHERE videos.id = @videoId AND blocked_videos.id = @blocked AND removed_at IS NULL`,
  );
  for (const blocked of blockedVideos) add.run({ videoId, blocked, now: new Date().toISOString() });
}

/** Returns the ids of the given videos that are on hold because they resemble a blocked video. */
export function heldForBlockList(videoIds: readonly string[]): string[] {
  return [...holdsOf(videoIds)].flatMap(([id, reasons]) =>
    reasons.includes("block-list") ? [id] : [],
  );
}

/**
 * Returns the blocked videos that a video resembles or that caused its holds. Some of them may no longer be on the
 * list.
 */
export function matchesOf(videoId: string): string[] {
  const open = prepared<string>(
    `SELECT CAST(blocked_video_id AS TEXT) FROM block_list_matches
     WHERE video_id = ? AND dismissed_at IS NULL`,
  )
    .pluck()
    .all(videoId);
  return [...new Set([...open, ...sourcesOf(videoId, "block-list")])];
}

/**
 * Records the decision that a video differs from some of the blocked videos that it resembles, and releases the holds
 * for these matches. Must be called inside a transaction.
 *
 * @returns whether any of these matches was still open.
 */
export function dismissMatches(videoId: string, blockedVideos: readonly string[]): boolean {
  const dismiss = prepared(
    `UPDATE block_list_matches SET dismissed_at = @now
     WHERE video_id = @videoId AND blocked_video_id = @blocked AND dismissed_at IS NULL`,
  );
  const now = new Date().toISOString();
  const changes = blockedVideos.map((blocked) => {
    const isReleased = releaseHold({ videoId, reason: "block-list", sourceId: blocked });
    return dismiss.run({ videoId, blocked, now }).changes > 0 || isReleased;
  });
  return changes.includes(true);
}

/** Deletes the frame hashes of a video's previous file. Holds are kept. Must be called inside a transaction. */
export function deleteFrames(videoId: string): void {
  prepared("DELETE FROM video_frames WHERE video_id = ?").run(videoId);
  prepared("DELETE FROM block_list_matches WHERE video_id = ? AND dismissed_at IS NOT NULL").run(
    videoId,
  );
}

/**
 * Compares the site's videos with entries on the block list, and records the matches for the block list page.
 *
 * @param from the id of the first entry.
 * @param holds whether to put matching videos on hold until someone has reviewed them.
 * @param to the id of the last entry; by default, all entries after the first are compared.
 * @returns the number of videos with a match.
 */
export async function compareSite(from: number, holds: boolean, to?: number): Promise<number> {
  let last: string | undefined = "";
  let count = 0;
  while (last !== undefined) {
    const answer: ComparisonBatch = await queryThread<ComparisonBatch>(
      "studio",
      "videos-like-blocked",
      {
        from,
        to,
        after: last,
      },
    );
    for (const { videoId, blockedVideos } of answer.found) {
      const others = blockedVideos.filter((blocked) => !isOwnVideo(videoId, blocked));
      if (others.length === 0) continue;
      count += 1;
      await transaction(() =>
        holds ? holdMatches(videoId, others) : recordMatches(videoId, others),
      );
    }
    last = answer.last;
  }
  return count;
}

function isOwnVideo(videoId: string, video: number): boolean {
  return (
    prepared("SELECT 1 FROM blocked_videos WHERE id = ? AND video_id = ?").get(video, videoId) !==
    undefined
  );
}
