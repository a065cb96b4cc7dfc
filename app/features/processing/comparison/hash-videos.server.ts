import { mkdir } from "node:fs/promises";
import { bucketFile } from "~/media/bucket.server";
import { isSingleFrame } from "~/media/encode/artifact";
import { createTask, type TaskControl } from "~/media/encode/task.server";
import { storedUnlessNewer, withReadableFile } from "~/media/files/local-copies.server";
import { removeSoon } from "~/media/files/removals.server";
import { withTemporaryPath } from "~/media/files/temporary-files.server";
import { digestOf } from "~/media/intake/tus-store.server";
import { probe, RefusedFileError } from "~/media/probe/probe.server";
import { asJob } from "~/media/probe/process-gate.server";
import { isTemporaryFailure } from "~/media/storage/object-store";
import { onShutdown } from "~/platform/node/shutdown.server";
import { createMutex } from "~/shared/event-loop";
import { prepared, transaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import { retryWhileBusy } from "~db/write-lock";
import { compareSite } from "./block-list-matches.server";
import { onHashingNeeded } from "./blocked-videos.server";
import type { Frames } from "./frame-hashes";
import { hashBlockedFrames } from "./hash-frames.server";

/**
 * After this many failed attempts, the site gives up and treats the entry as if its file weren't a video: the entry
 * keeps the data that it already has.
 */
const MAX_ATTEMPTS = 3;
const POLL_EVERY_MS = 60_000;
const RESULT_WAIT_MS = 60_000;

const hashing = processState(
  "frames of blocked videos",
  () => ({
    runExclusive: createMutex(),
    running: undefined as TaskControl | undefined,
    isStopped: false,
  }),
  stop,
);

/** Starts extracting and hashing the frames of blocked videos, one video at a time. Resumes after a restart. */
export function startHashingBlockedVideos(): void {
  const hashes = every(POLL_EVERY_MS, "hash the frames of blocked videos", hashBlockedVideos);
  onHashingNeeded(hashes.run);
  hashes.run();
  // Registered after the timer, so that it runs first at shutdown.
  const state = hashing();
  onShutdown(() => stop(state));
}

function stop(state: { running: TaskControl | undefined; isStopped: boolean }): void {
  state.isStopped = true;
  state.running?.abort();
}

/** Hashes each waiting video once. The timer retries failed videos a minute later. */
export function hashBlockedVideos(): Promise<void> {
  const state = hashing();
  return state.runExclusive(async () => {
    const waiting = prepared<WaitingVideo>(
      "SELECT id, attempts, file FROM blocked_videos WHERE state = 'waiting' ORDER BY attempts, id LIMIT 100",
    ).all();
    for (const video of waiting) {
      if (state.isStopped) return;
      await hashVideo(video);
    }
  });
}

interface WaitingVideo {
  id: number;
  attempts: number;
  /** The path in the `videos` bucket. */
  file: string;
}

async function hashVideo({
  id: blockedVideoId,
  attempts,
  file: name,
}: WaitingVideo): Promise<void> {
  const attempt = attempts + 1;
  const countAttempts = (count: number) =>
    write(() =>
      prepared("UPDATE blocked_videos SET attempts = ? WHERE id = ?").run(count, blockedVideoId),
    );
  try {
    // The attempt is counted before it starts, so that the site eventually gives up on a video that crashes the
    // process.
    await countAttempts(attempt);
    const file = bucketFile("videos", name);
    if (!file) throw new Error(`videos/${name} is not a valid path in the bucket.`);
    const frames = await withReadableFile(file, async () => {
      const sha256 = (await storedUnlessNewer(file))?.sha256 ?? (await digestOf(file));
      await write(() =>
        prepared(
          `INSERT OR IGNORE INTO blocked_files (sha256, blocked_video_id)
           SELECT @sha256, id FROM blocked_videos WHERE id = @blockedVideoId`,
        ).run({ sha256, blockedVideoId }),
      );
      // Hashing takes minutes, so it runs at the lowest priority and one video at a time.
      return asJob(() => framesOf(file));
    });
    if (hashing().isStopped) return;
    await write(() =>
      frames ? recordBlockedFrames(blockedVideoId, frames) : giveUp(blockedVideoId),
    );
    if (frames) await compareSite(blockedVideoId, true);
  } catch (error) {
    if (hashing().isStopped) return;
    console.error(`Could not hash the frames of blocked video ${blockedVideoId}:`, error);
    const isTemporary = isTemporaryFailure(error);
    if (isTemporary) await countAttempts(attempts);
    if (isTemporary || attempt < MAX_ATTEMPTS) return;
    await write(() => giveUp(blockedVideoId));
  }
  // At this point, the entry's file may no longer be referenced.
  removeSoon();
}

/** Returns undefined if the file isn't a video, if it has only one frame, or if ffmpeg isn't installed. */
async function framesOf(file: string): Promise<Frames | undefined> {
  const found = await probe(file).catch((error): undefined => {
    if (!(error instanceof RefusedFileError)) throw error;
  });
  if (!found || isSingleFrame(found)) return undefined;
  const state = hashing();
  return withTemporaryPath(async (folder) => {
    await mkdir(folder);
    state.running = createTask(folder, () => {});
    try {
      return await hashBlockedFrames(file, found, state.running);
    } finally {
      state.running = undefined;
    }
  });
}

function write(work: () => unknown): Promise<unknown> {
  return retryWhileBusy(() => transaction(work), RESULT_WAIT_MS);
}

function recordBlockedFrames(blockedVideoId: number, { first, step, hashes }: Frames): void {
  prepared(
    `UPDATE blocked_videos SET state = 'ready', first = @first, step = @step, frames = @hashes
     WHERE id = @blockedVideoId`,
  ).run({ blockedVideoId, first, step, hashes });
}

function giveUp(blockedVideoId: number): void {
  prepared(
    `UPDATE blocked_videos SET state = CASE WHEN frames = x'' THEN 'none' ELSE 'few' END WHERE id = ?`,
  ).run(blockedVideoId);
}
