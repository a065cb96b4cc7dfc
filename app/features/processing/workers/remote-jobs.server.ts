import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { type Artifact, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import { hasFreeDiskSpace } from "~/media/files/disk.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { onShutdown } from "~/platform/node/shutdown.server";
import { Problem } from "~/platform/problem";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import { JOB_KINDS, type JobKind, type JobRow } from "~db/schema";
import { commitArtifact } from "../queue/commit-artifact.server";
import { paceOf, sourceOf } from "../queue/produce-artifact.server";
import { claim, fail, hasLease } from "../queue/queue.server";
import { startRunner } from "../queue/worker.server";
import { leaseName, receivedFolder } from "./leases.server";

/** The kinds of jobs for remote workers. Encoding the stream accounts for nearly all of a video's processing time. */
const REMOTE_KINDS: readonly JobKind[] = ["ladder"];
/**
 * The kinds of jobs that a site runs itself if it leaves encoding to workers. It starts running them once a worker has
 * connected.
 */
const LOCAL_KINDS = JOB_KINDS.filter((kind) => kind !== "ladder" && kind !== "codecs");

/** A job for which a worker holds a lease. */
export interface LeasedJob extends JobRow {
  worker: string;
}

const localRunner = processState(
  "runner for the rest",
  () => {
    const runner = startRunner(1, LOCAL_KINDS);
    onShutdown(() => runner.stop());
    return runner;
  },
  (runner) => runner.stop(),
);

/** Claims the next job for a worker and returns it with the lease id used in URLs; undefined if there is no job. */
export async function claimRemoteJob(workerId: number) {
  if (!ffmpegAvailable()) return undefined;
  // The site starts running the other kinds of jobs as soon as the first worker has connected.
  if (settings().encoderConcurrency === 0) localRunner();
  while (await hasFreeDiskSpace()) {
    const lease = randomUUID();
    const worker = leaseName(workerId, lease);
    const job = (await claim(undefined, undefined, { worker, kinds: REMOTE_KINDS })) as LeasedJob;
    if (!job) return undefined;
    const source = await sourceOf(job);
    if (!source) await fail(job, "The video has no file in this library.", true);
    // The stream isn't re-encoded from the playable version, because the existing stream was encoded from the removed
    // source and has a higher quality.
    else if (source.row.hls_url && source.row.source_removed_at)
      await commitReceived(job, source, NO_ARTIFACT);
    else return { job, lease, source, pace: paceOf(job) };
  }
  return undefined;
}

/** Returns a lease's job, or undefined if the lease has ended, for example because the video was deleted. */
export function leasedJob(workerId: number, lease: string): LeasedJob | undefined {
  return prepared<LeasedJob>("SELECT * FROM jobs WHERE state = 'running' AND worker = ?").get(
    leaseName(workerId, lease),
  );
}

/** Publishes a job's result, as if it had been created here. */
export async function commitReceived(
  job: LeasedJob,
  source: Source,
  artifact: Artifact,
): Promise<boolean> {
  const isCommitted = await commitArtifact(job, source, artifact, receivedFolder(job));
  await removeReceived(job);
  return isCommitted;
}

/** Removes a result's received files. */
export async function removeReceived(job: LeasedJob): Promise<void> {
  await removeTemporary(receivedFolder(job));
}

/** The names of the files in a result: video renditions and audio tracks. The site generates the playlists itself. */
const FILE_NAME = /^(?:[1-9]\d{1,3}p|audio-[1-9]\d?(?:-low|-surround)?)\.mp4$/;
/** The maximum number of files, which is more than any video's result contains. */
const MAX_FILES = 100;
/** The maximum size of one request, so that no more than this is wasted if the connection is lost. */
const MAX_CHUNK_BYTES = 16 * 1024 ** 2;

const DISK_FULL = "The site's disk is almost full.";

/** @param bytes the current size of the file, from which the worker must continue. */
function problem(status: 409 | 413 | 422 | 507, detail: string, bytes?: number): Problem {
  return new Problem(
    status,
    detail,
    [],
    bytes === undefined ? {} : { "Upload-Offset": String(bytes) },
  );
}

/** Returns the folder that contains a result's received files. */
export function receivedFiles(job: LeasedJob): string {
  return path.join(receivedFolder(job), "received");
}

/** Returns the number of bytes received, by file name. */
export async function receivedBytes(job: LeasedJob): Promise<Record<string, number>> {
  const folder = receivedFiles(job);
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map(async (name) => [name, (await stat(path.join(folder, name))).size]);
  return Object.fromEntries(await Promise.all(sizes));
}

/**
 * Appends a chunk to one of a result's files.
 *
 * @returns the size of the file in bytes.
 * @throws {Problem} if the name isn't valid, the offset is wrong, the chunk is too large, the disk is almost full, or
 * the lease has ended in the meantime.
 */
export async function receiveChunk(
  job: LeasedJob,
  name: string,
  offset: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<number> {
  if (!FILE_NAME.test(name)) throw problem(422, "A result can't contain a file with this name.");
  if (!(await hasFreeDiskSpace())) throw problem(507, DISK_FULL);
  const folder = receivedFiles(job);
  const sizes = await receivedBytes(job);
  if (Object.keys(sizes).length >= MAX_FILES) throw problem(422, "Too many files.");
  const size = sizes[name] ?? 0;
  if (offset !== size) throw problem(409, "Unexpected offset.", size);
  await mkdir(folder, { recursive: true });
  const file = await open(path.join(folder, name), size === 0 ? "w" : "r+");
  let end = offset;
  try {
    for await (const chunk of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      if (end + chunk.byteLength - offset > MAX_CHUNK_BYTES) {
        throw problem(413, `A chunk can be at most ${MAX_CHUNK_BYTES} bytes.`, end);
      }
      await file.write(chunk, 0, chunk.byteLength, end);
      end += chunk.byteLength;
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") throw problem(507, DISK_FULL, end);
    // Received bytes are kept, and the worker continues after them.
    throw problem(409, "The chunk is incomplete.", end);
  } finally {
    await file.close();
  }
  // The folder may have been removed while the file was being written.
  if (!hasLease(job)) {
    await removeTemporary(receivedFolder(job));
    throw problem(409, "This job is no longer assigned to this worker.");
  }
  return end;
}
