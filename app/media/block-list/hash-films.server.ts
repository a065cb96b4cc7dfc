import { readdir } from "node:fs/promises";
import path from "node:path";
import { onShutdown } from "~/server/node/shutdown.server";
import { takingTurns } from "~/shared/event-loop";
import { prepared, writeTransaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import { retryWhileBusy } from "~db/write-lock";
import { isOnePicture } from "../encode/artifact";
import { createTask, type TaskControl } from "../encode/task.server";
import { digestOf } from "../intake/tus-store.server";
import { ffmpegAvailable } from "../probe/ffmpeg.server";
import { probe, RefusedFileError } from "../probe/probe.server";
import { removalsPausedBy } from "../removal-guard.server";
import { localCopy } from "../storage/local-copy.server";
import { keptFile, keptFolder, releaseFile } from "./blocked-films.server";
import type { Frames } from "./compare";
import { compareSite } from "./films-of-site.server";
import { onHashingDue } from "./hashing-due.server";
import { takeBlockedFrames } from "./take-frames.server";

/** Then only what was known before is; as with a file that is no film any more. */
const MOST_ATTEMPTS = 3;
const POLL_EVERY_MS = 60_000;
const RESULT_WAIT_MS = 60_000;

const hashing = processState(
  "frames of blocked films",
  () => ({
    inTurn: takingTurns(),
    running: undefined as TaskControl | undefined,
    isStopped: false,
  }),
  stop,
);

/** Takes the frames of films that were blocked, one film after the other; what a restart interrupted too. */
export function startHashingBlockedFilms(): void {
  const hashes = every(POLL_EVERY_MS, "take the frames of blocked films", hashBlockedFilms);
  onHashingDue(hashes.run);
  void removeUnneeded().catch(console.error).then(hashes.run);
  // Created after the timer, so that it is stopped first.
  const state = hashing();
  onShutdown(() => stop(state));
}

function stop(state: { running: TaskControl | undefined; isStopped: boolean }): void {
  state.isStopped = true;
  state.running?.abort();
}

/** Works until nothing waits. */
export function hashBlockedFilms(): Promise<void> {
  const state = hashing();
  return state.inTurn(async () => {
    for (;;) {
      const next = prepared(
        "SELECT id, attempts FROM blocked_films WHERE state = 'waiting' ORDER BY attempts, id LIMIT 1",
      ).get() as { id: number; attempts: number } | undefined;
      if (!next || state.isStopped) return;
      await hashFilm(next.id, next.attempts + 1);
    }
  });
}

async function hashFilm(filmId: number, attempt: number): Promise<void> {
  try {
    // Noted before: a film that ends the process is given up in the end.
    await write(() =>
      prepared("UPDATE blocked_films SET attempts = ? WHERE id = ?").run(attempt, filmId),
    );
    const kept = keptFile(filmId);
    const file = await localCopy(kept, path.dirname(kept));
    const sha256 = await digestOf(file);
    await write(() =>
      prepared(
        `INSERT OR IGNORE INTO blocked_files (sha256, film_id)
         SELECT @sha256, id FROM blocked_films WHERE id = @filmId`,
      ).run({ sha256, filmId }),
    );
    const frames = await framesOf(file);
    if (hashing().isStopped) return;
    await write(() => (frames ? noteFrames(filmId, frames) : giveUp(filmId)));
    await releaseFile(filmId);
    if (frames) await compareSite(filmId, true);
  } catch (error) {
    if (hashing().isStopped) return;
    const isFinal = attempt >= MOST_ATTEMPTS;
    console.error(`The frames of blocked film ${filmId} could not be taken:`, error);
    if (!isFinal) return;
    await write(() => giveUp(filmId));
    await releaseFile(filmId);
  }
}

/** Undefined of what is no film or one picture, and where ffmpeg is not installed. */
async function framesOf(file: string): Promise<Frames | undefined> {
  const found = ffmpegAvailable() ? await probe(file).catch(ofNoFilm) : undefined;
  if (!found || isOnePicture(found)) return undefined;
  const state = hashing();
  state.running = createTask(path.dirname(file), () => {});
  try {
    return await takeBlockedFrames(file, found, state.running);
  } finally {
    state.running = undefined;
  }
}

function ofNoFilm(error: unknown): undefined {
  if (!(error instanceof RefusedFileError)) throw error;
}

function write(work: () => unknown): Promise<unknown> {
  return retryWhileBusy(() => writeTransaction(work), RESULT_WAIT_MS);
}

function noteFrames(filmId: number, { first, step, hashes }: Frames): void {
  prepared(
    `UPDATE blocked_films SET state = 'ready', first = @first, step = @step, frames = @hashes
     WHERE id = @filmId`,
  ).run({ filmId, first, step, hashes });
}

function giveUp(filmId: number): void {
  prepared(
    `UPDATE blocked_films SET state = CASE WHEN frames = x'' THEN 'none' ELSE 'few' END WHERE id = ?`,
  ).run(filmId);
}

/** Files of films that are no longer blocked, or of a decision that was not made in the end. */
async function removeUnneeded(): Promise<void> {
  if (await removalsPausedBy()) return;
  for (const name of await readdir(keptFolder()).catch(() => [])) {
    const filmId = Number(name);
    const waits = prepared("SELECT 1 FROM blocked_films WHERE id = ? AND state = 'waiting'").get(
      filmId,
    );
    if (!waits) await releaseFile(filmId);
  }
}
