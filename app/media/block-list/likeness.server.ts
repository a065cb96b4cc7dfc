import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import { isOnePicture } from "../encode/artifact";
import { createTask } from "../encode/task.server";
import { removeTemporary } from "../files/temporary-files.server";
import { workFolder } from "../jobs/disk.server";
import { ffmpegAvailable } from "../probe/ffmpeg.server";
import { MEASURED_WHILE_WAITING, probe } from "../probe/probe.server";
import { hasBlockedFrames } from "./blocked-films.server";
import type { Frames } from "./compare";
import { takeComparedFrames } from "./take-frames.server";

/**
 * Whoever uploads waits for it. A film of which the frames are not taken by then is held until its job has
 * compared it.
 */
export const LONGEST_LOOK_MS = 20_000;

/** What a file looks like, and which blocked films that is. */
export interface Look {
  frames: Frames;
  films: number[];
}

/**
 * Compares a file with the block list before there is a video of it.
 *
 * @returns undefined when there is nothing to compare, "late" where it could not be done in time.
 */
export async function lookAtFile(file: string): Promise<Look | "late" | undefined> {
  if (!hasBlockedFrames() || !ffmpegAvailable()) return undefined;
  const folder = path.join(workFolder(), `look-${randomUUID()}`);
  const task = createTask(folder, () => {});
  const timer = setTimeout(() => task.abort(), LONGEST_LOOK_MS);
  try {
    const found = await probe(file, { measureUpTo: MEASURED_WHILE_WAITING });
    if (!found || isOnePicture(found)) return undefined;
    await mkdir(folder, { recursive: true });
    const frames = await takeComparedFrames(file, found, task, true);
    return { frames, films: await findBlockedFilms(frames) };
  } catch (error) {
    if (!task.signal.aborted)
      console.error("A file could not be compared with the block list:", error);
    return "late";
  } finally {
    clearTimeout(timer);
    await removeTemporary(folder);
  }
}

/** The ids of the blocked films that a film looks like. */
export function findBlockedFilms(frames: Frames): Promise<number[]> {
  return queryThread<number[]>("studio", "blocked-films", frames);
}

/** Notes what a film shows, inside of a transaction. */
export function noteFrames(videoId: string, { first, step, hashes }: Frames): void {
  prepared(
    `INSERT OR REPLACE INTO video_frames (video_id, first, step, frames)
     SELECT id, @first, @step, @hashes FROM videos WHERE id = @videoId`,
  ).run({ videoId, first, step, hashes });
}

/** What was noted of a video's film. */
export function notedFrames(videoId: string): Frames | undefined {
  return prepared("SELECT first, step, frames AS hashes FROM video_frames WHERE video_id = ?").get(
    videoId,
  ) as Frames | undefined;
}

/**
 * Holds a video that looks like blocked films as a draft, inside of a transaction, but for films of which
 * somebody has said that it is another.
 *
 * @param isToBePublic whether it is published once somebody has said so; left out: as it is now.
 * @returns whether it is held.
 */
export function holdLikeness(
  videoId: string,
  films: readonly number[],
  isToBePublic?: boolean,
): boolean {
  noteLikeness(videoId, films);
  const open = "SELECT 1 FROM blocked_likenesses WHERE video_id = ? AND dismissed_at IS NULL";
  if (!prepared(open).get(videoId)) return false;
  const now = new Date().toISOString();
  prepared(
    `INSERT OR IGNORE INTO video_holds (video_id, reason, since, was_published)
     SELECT id, 'block-list', @now, coalesce(@isToBePublic, status = 'published')
     FROM videos WHERE id = @videoId`,
  ).run({ videoId, now, isToBePublic: isToBePublic === undefined ? null : Number(isToBePublic) });
  prepared("UPDATE videos SET status = 'review' WHERE id = ? AND status = 'published'").run(
    videoId,
  );
  return true;
}

/**
 * Holds a video as a draft until its job has compared it, inside of a transaction;
 * `app/trust/compared.server.ts` lets it go.
 *
 * @param isToBePublic whether it is published then.
 */
export function holdUncompared(videoId: string, isToBePublic: boolean): void {
  prepared(
    `INSERT OR IGNORE INTO video_holds (video_id, reason, since, was_published)
     VALUES (@videoId, 'comparing', @now, @isToBePublic)`,
  ).run({ videoId, now: new Date().toISOString(), isToBePublic: Number(isToBePublic) });
}

/** Notes which blocked films a video looks like, inside of a transaction. */
export function noteLikeness(videoId: string, films: readonly number[]): void {
  const add = prepared(
    `INSERT OR IGNORE INTO blocked_likenesses (video_id, film_id, found_at)
     SELECT videos.id, blocked_films.id, @now FROM videos JOIN blocked_films
     WHERE videos.id = @videoId AND blocked_films.id = @film`,
  );
  for (const film of films) add.run({ videoId, film, now: new Date().toISOString() });
}

/**
 * Of some videos those that look like a blocked film, while nobody has said that they are another, and those
 * that are held for that: the film may have been taken off the list since.
 */
export function likeBlocked(videoIds: readonly string[]): string[] {
  return prepared(
    `SELECT DISTINCT video_id FROM blocked_likenesses
     WHERE video_id IN (SELECT value FROM json_each(@ids)) AND dismissed_at IS NULL
     UNION SELECT video_id FROM video_holds
     WHERE video_id IN (SELECT value FROM json_each(@ids)) AND reason = 'block-list'`,
  )
    .pluck()
    .all({ ids: JSON.stringify(videoIds) }) as string[];
}

/** Notes that a video is another film than those it looks like, inside of a transaction. */
export function dismissLikeness(videoId: string): boolean {
  return (
    prepared(
      "UPDATE blocked_likenesses SET dismissed_at = ? WHERE video_id = ? AND dismissed_at IS NULL",
    ).run(new Date().toISOString(), videoId).changes > 0
  );
}

/** Forgets what the earlier file of a video showed, inside of a transaction. A hold stays. */
export function forgetFrames(videoId: string): void {
  prepared("DELETE FROM video_frames WHERE video_id = ?").run(videoId);
  prepared("DELETE FROM blocked_likenesses WHERE video_id = ? AND dismissed_at IS NOT NULL").run(
    videoId,
  );
}
