import fs from "node:fs";
import path from "node:path";
import { enqueueJobs } from "~/features/processing/queue/enqueue.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { startRunner } from "~/features/processing/queue/worker.server";
import type { Source } from "~/media/encode/artifact";
import { encodeLadder } from "~/media/encode/ladder.server";
import { createTask, type TaskControl } from "~/media/encode/task.server";
import { removeFiles } from "~/media/files/removals.server";
import { type Probe, probe } from "~/media/probe/probe.server";
import { database, sqliteHandle, transaction } from "~db/client.server";
import type { JobKind, JobRow, VideoRow } from "~db/schema";

import { addProcessedVideo, type ProcessedVideo } from "./processed-videos";

export { filesBelow } from "./files-below";

let uploadId = 1_700_000_000_000;

/**
 * Adds a file, its row and its jobs to the library, as an upload does.
 * @param playable whether the row marks the file as playable in browsers without conversion.
 * @returns the ID of the video.
 */
export async function addToLibrary(
  uploads: string,
  clip: string,
  playable: boolean,
  columns: { thumbnail_url?: string; duration?: string } = {},
): Promise<string> {
  const name = `u/${++uploadId}${path.extname(clip)}`;
  fs.mkdirSync(path.join(uploads, "videos", "u"), { recursive: true });
  fs.copyFileSync(clip, path.join(uploads, "videos", name));
  const url = `/media/videos/${name}`;
  const { id } = await database()
    .insertInto("videos")
    .values({
      title: path.basename(clip),
      category: "desi",
      video_url: playable ? url : "",
      source_url: playable ? null : url,
      ...columns,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await transaction(() => enqueueJobs([id]));
  jobsChanged("work");
  return id;
}

/** Adds a processed video to this process's site. See `addProcessedVideo`. */
export function addProcessed(
  uploads: string,
  video: ProcessedVideo,
  columns: Record<string, string | number | null> = {},
): string {
  return addProcessedVideo({ sqlite: sqliteHandle(), uploads }, video, columns);
}

/** Runs all jobs that are due, and then removes obsolete files. */
export async function workUntilIdle(): Promise<void> {
  const runner = startRunner(1);
  await runner.idle();
  await runner.stop();
  await removeFiles();
}

/** Marks all jobs as done except the cleanup and the jobs of the given kinds. */
export function onlyJobs(...kinds: JobKind[]): void {
  const list = kinds.map((kind) => `'${kind}'`).join(", ");
  sqliteHandle().exec(`UPDATE jobs SET state = 'done' WHERE kind NOT IN (${list}, 'cleanup')`);
}

export function videoRow(id: string): VideoRow {
  return sqliteHandle().prepare("SELECT * FROM videos WHERE id = ?").get(id) as VideoRow;
}

export function jobRows(id: string): JobRow[] {
  return sqliteHandle()
    .prepare("SELECT * FROM jobs WHERE video_id = ? ORDER BY priority, id")
    .all(id) as JobRow[];
}

/** Returns the states of a video's jobs by kind. */
export function jobStates(id: string): Record<string, string> {
  return Object.fromEntries(jobRows(id).map(({ kind, state }) => [kind, state]));
}

/** Returns the path of the file that the site serves at a URL. */
export function diskPath(uploads: string, url: string | null): string {
  return path.join(uploads, String(url).replace("/media/", ""));
}

/** Returns an encoder's arguments: the source, its probe, and a task that writes to the source's folder. */
export async function encodeArguments(video: string): Promise<[Source, Probe, TaskControl]> {
  const row = { video_url: "", thumbnail_url: null, hls_url: null, source_removed_at: null };
  const url = `/media/videos/u/1${path.extname(video)}`;
  const source = { videoId: "v", basePath: "u/1", url, file: video, playedFile: video, row };
  return [source, (await probe(video))!, createTask(path.dirname(video), () => {})];
}

/** Returns the same arguments for a file whose row marks it as playable, as a row added by another tool might. */
export async function playableEncodeArguments(video: string): ReturnType<typeof encodeArguments> {
  const [source, found, task] = await encodeArguments(video);
  return [{ ...source, row: { ...source.row, video_url: source.url } }, found, task];
}

/** Encodes a video's adaptive stream with all its renditions. Returns the folder that contains the playlists. */
export async function createLadder(video: string): Promise<string> {
  const ladder = await encodeLadder(
    ...(await encodeArguments(video)),
    path.parse(video).name,
    "urgent",
  );
  return path.join(path.dirname(video), ladder.moves[0]!.from);
}
