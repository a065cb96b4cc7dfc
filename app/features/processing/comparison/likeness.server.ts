import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { hold, holdsOf, releaseHold, sourcesOf } from "~/features/visibility/holds.server";
import { isOnePicture } from "~/media/encode/artifact";
import { createTask } from "~/media/encode/task.server";
import { removeTemporary, temporaryFolder } from "~/media/files/temporary-files.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { MEASURED_WHILE_WAITING, probe } from "~/media/probe/probe.server";
import { prepared, transaction } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import { hasBlockedFrames } from "./blocked-films.server";
import type { Answer } from "./blocked-index.server";
import type { Frames } from "./frame-hashes";
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
  const folder = path.join(temporaryFolder(), `look-${randomUUID()}`);
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
  return prepared<Frames>(
    "SELECT first, step, frames AS hashes FROM video_frames WHERE video_id = ?",
  ).get(videoId);
}

/**
 * Holds a video that looks like blocked films, inside a transaction, except for films of which somebody has
 * said that it is another.
 *
 * @returns whether it is held.
 */
export function holdLikeness(videoId: string, films: readonly number[]): boolean {
  noteLikeness(videoId, films);
  const open = prepared<number>(
    "SELECT film_id FROM blocked_likenesses WHERE video_id = ? AND dismissed_at IS NULL",
  )
    .pluck()
    .all(videoId);
  for (const film of open) hold({ videoId, reason: "block-list", sourceId: String(film) });
  return open.length > 0;
}

/** Holds the videos whose uploaded file has the same bytes as that of a blocked one, inside of its transaction. */
export function holdCopies(videoId: string, film: number): void {
  const copies = prepared<string>(
    `SELECT DISTINCT copy.video_id FROM video_digests AS own
       JOIN video_digests AS copy ON copy.sha256 = own.sha256 AND copy.video_id <> own.video_id
       JOIN videos ON videos.id = copy.video_id
     WHERE own.video_id = ?`,
  ).pluck();
  for (const copy of copies.all(videoId)) holdLikeness(copy, [film]);
}

/**
 * Holds a video until its job has compared it, inside a transaction; `app/features/processing/comparison/compared.server.ts` releases
 * it.
 */
export function holdUncompared(videoId: string): void {
  hold({ videoId, reason: "comparing" });
}

/** Notes which blocked films a video looks like, inside of a transaction. */
function noteLikeness(videoId: string, films: readonly number[]): void {
  const add = prepared(
    `INSERT OR IGNORE INTO blocked_likenesses (video_id, film_id, found_at)
     SELECT videos.id, blocked_films.id, @now FROM videos JOIN blocked_films
     WHERE videos.id = @videoId AND blocked_films.id = @film AND removed_at IS NULL`,
  );
  for (const film of films) add.run({ videoId, film, now: new Date().toISOString() });
}

/** Of some videos those that are held because they look like a blocked film. */
export function likeBlocked(videoIds: readonly string[]): string[] {
  return [...holdsOf(videoIds)].flatMap(([id, reasons]) =>
    reasons.includes("block-list") ? [id] : [],
  );
}

/** The blocked films that a video looks like, or is held for: a film may be off the list by now. */
export function likenessesOf(videoId: string): string[] {
  const open = prepared<string>(
    `SELECT CAST(film_id AS TEXT) FROM blocked_likenesses
     WHERE video_id = ? AND dismissed_at IS NULL`,
  )
    .pluck()
    .all(videoId);
  return [...new Set([...open, ...sourcesOf(videoId, "block-list")])];
}

/**
 * Notes that a video is another film than some that it looks like, and releases their holds, inside a
 * transaction.
 *
 * @returns whether it looked like one of them until now.
 */
export function dismissLikenesses(videoId: string, films: readonly string[]): boolean {
  const dismiss = prepared(
    `UPDATE blocked_likenesses SET dismissed_at = @now
     WHERE video_id = @videoId AND film_id = @film AND dismissed_at IS NULL`,
  );
  const now = new Date().toISOString();
  const changes = films.map((film) => {
    const isReleased = releaseHold({ videoId, reason: "block-list", sourceId: film });
    return dismiss.run({ videoId, film, now }).changes > 0 || isReleased;
  });
  return changes.includes(true);
}

/** Forgets what the earlier file of a video showed, inside of a transaction. A hold stays. */
export function forgetFrames(videoId: string): void {
  prepared("DELETE FROM video_frames WHERE video_id = ?").run(videoId);
  prepared("DELETE FROM blocked_likenesses WHERE video_id = ? AND dismissed_at IS NOT NULL").run(
    videoId,
  );
}

/**
 * Compares the videos of the site with films of the list, and notes those that look like one: the page of the
 * list names them.
 *
 * @param from the number of the first film.
 * @param holds whether they are held until somebody has looked at them.
 * @param to the number of the last film; all that follow if it is left out.
 * @returns how many.
 */
export async function compareSite(from: number, holds: boolean, to?: number): Promise<number> {
  let last: string | undefined = "";
  let count = 0;
  while (last !== undefined) {
    const answer: Answer = await queryThread<Answer>("studio", "videos-like-blocked", {
      from,
      to,
      after: last,
    });
    for (const { videoId, films } of answer.found) {
      const others = films.filter((film) => !isOwnFilm(videoId, film));
      if (others.length === 0) continue;
      count += 1;
      await transaction(() =>
        holds ? holdLikeness(videoId, others) : noteLikeness(videoId, others),
      );
    }
    last = answer.last;
  }
  return count;
}

function isOwnFilm(videoId: string, film: number): boolean {
  return (
    prepared("SELECT 1 FROM blocked_films WHERE id = ? AND video_id = ?").get(film, videoId) !==
    undefined
  );
}
