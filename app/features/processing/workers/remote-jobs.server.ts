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
import { claim, fail, isOurs } from "../queue/queue.server";
import { startRunner } from "../queue/worker.server";
import { leaseName, receivedFolder } from "./leases.server";

/** What workers on other machines make: nearly all the time of a video goes into its stream. */
const REMOTE_KINDS: readonly JobKind[] = ["ladder"];
/** Where the site does not convert by itself, what else a video needs it does make as long as workers come. */
const SITE_KINDS = JOB_KINDS.filter((kind) => kind !== "ladder" && kind !== "codecs");

/** A job that a worker has a lease of. */
export interface LeasedJob extends JobRow {
  worker: string;
}

const restRunner = processState(
  "runner for the rest",
  () => {
    const runner = startRunner(1, SITE_KINDS);
    onShutdown(() => runner.stop());
    return runner;
  },
  (runner) => runner.stop(),
);

/** The next job for a worker, with the name of its lease in addresses; undefined where there is none now. */
export async function takeRemoteJob(workerId: number) {
  if (!ffmpegAvailable()) return undefined;
  // The rest of the queue is made here from the first worker on.
  if (settings().encoderConcurrency === 0) restRunner();
  while (await hasFreeDiskSpace()) {
    const lease = randomUUID();
    const worker = leaseName(workerId, lease);
    const job = (await claim(undefined, undefined, { worker, kinds: REMOTE_KINDS })) as LeasedJob;
    if (!job) return undefined;
    const source = await sourceOf(job);
    if (!source) await fail(job, "The video has no file in this library.", true);
    // What is played instead of the source has less of it than the stream.
    else if (source.row.hls_url && source.row.source_removed_at)
      await commitReceived(job, source, NO_ARTIFACT);
    else return { job, lease, source, pace: paceOf(job) };
  }
  return undefined;
}

/** The job of a lease; undefined once that has ended, as when its video was deleted. */
export function leasedJob(workerId: number, lease: string): LeasedJob | undefined {
  return prepared<LeasedJob>("SELECT * FROM jobs WHERE state = 'running' AND worker = ?").get(
    leaseName(workerId, lease),
  );
}

/** Publishes what was made of a job, as what is made here. */
export async function commitReceived(
  job: LeasedJob,
  source: Source,
  artifact: Artifact,
): Promise<boolean> {
  const isCommitted = await commitArtifact(job, source, artifact, receivedFolder(job));
  await removeReceived(job);
  return isCommitted;
}

/** Removes what has arrived of a result. */
export async function removeReceived(job: LeasedJob): Promise<void> {
  await removeTemporary(receivedFolder(job));
}

/** The files of a result: a picture of each size, and sounds; no playlist, which the site writes itself. */
const FILE_NAME = /^(?:[1-9]\d{1,3}p|sound-[1-9]\d?(?:-poor|-surround)?)\.mp4$/;
/** More than any video has. */
const MAX_FILES = 100;
/** Of one request: a line that breaks costs no more than that. */
const MAX_CHUNK_BYTES = 16 * 1024 ** 2;

const SITE_FULL = "The disk of the site is nearly full.";

/** @param bytes of the file, so far: where the worker has to go on. */
function refusal(status: 409 | 413 | 422 | 507, detail: string, bytes?: number): Problem {
  return new Problem(
    status,
    detail,
    [],
    bytes === undefined ? {} : { "Upload-Offset": String(bytes) },
  );
}

/** Where the files of a result arrive. */
export function receivedFiles(job: LeasedJob): string {
  return path.join(receivedFolder(job), "received");
}

/** How much of each file has arrived, by its name. */
export async function receivedBytes(job: LeasedJob): Promise<Record<string, number>> {
  const folder = receivedFiles(job);
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map(async (name) => [name, (await stat(path.join(folder, name))).size]);
  return Object.fromEntries(await Promise.all(sizes));
}

/**
 * Writes the next part of a file of a result.
 *
 * @returns bytes of the file that are there now.
 * @throws {Problem} for a name that no result has, a part that is not the next one, one that is too
 *   large, a disk that is nearly full, and a lease that has ended meanwhile.
 */
export async function receivePart(
  job: LeasedJob,
  name: string,
  offset: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<number> {
  if (!FILE_NAME.test(name)) throw refusal(422, "No file of a result has this name.");
  if (!(await hasFreeDiskSpace())) throw refusal(507, SITE_FULL);
  const folder = receivedFiles(job);
  const sizes = await receivedBytes(job);
  if (Object.keys(sizes).length >= MAX_FILES) throw refusal(422, "Too many files.");
  const size = sizes[name] ?? 0;
  if (offset !== size) throw refusal(409, "Another part comes next.", size);
  await mkdir(folder, { recursive: true });
  const file = await open(path.join(folder, name), size === 0 ? "w" : "r+");
  let end = offset;
  try {
    for await (const chunk of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      if (end + chunk.byteLength - offset > MAX_CHUNK_BYTES) {
        throw refusal(413, `A part has at most ${MAX_CHUNK_BYTES} bytes.`, end);
      }
      await file.write(chunk, 0, chunk.byteLength, end);
      end += chunk.byteLength;
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") throw refusal(507, SITE_FULL, end);
    // What has arrived stays: the worker goes on behind it.
    throw refusal(409, "The part was cut off.", end);
  } finally {
    await file.close();
  }
  // Its folder may have been removed while this was written.
  if (!isOurs(job)) {
    await removeTemporary(receivedFolder(job));
    throw refusal(409, "This job is no longer yours.");
  }
  return end;
}
