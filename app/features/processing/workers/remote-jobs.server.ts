import { randomUUID } from "node:crypto";
import { type Artifact, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import type { Pace } from "~/media/encode/encoders.server";
import { hasFreeDiskSpace } from "~/media/files/disk.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { onShutdown } from "~/platform/node/shutdown.server";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import { JOB_KINDS, type JobKind, type JobRow } from "~db/schema";
import { commitArtifact } from "../queue/commit-artifact.server";
import { paceOf, sourceOf } from "../queue/produce-artifact.server";
import { claim, fail, returnToQueue } from "../queue/queue.server";
import { startRunner } from "../queue/runner.server";
import { leaseName, receivedFolder } from "./leases.server";

/** What workers on other machines make: nearly all the time of a film goes into its stream. */
const REMOTE_KINDS: readonly JobKind[] = ["ladder"];
/** Where the site does not convert by itself, what else a film needs it does make as long as workers come. */
const SITE_KINDS = JOB_KINDS.filter((kind) => kind !== "ladder" && kind !== "codecs");

/** A job that a worker has a lease of. */
export interface LeasedJob extends JobRow {
  worker: string;
}

export interface TakenJob {
  job: LeasedJob;
  /** Names the lease in addresses. */
  lease: string;
  source: Source;
  pace: Pace;
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

/** The next job for a worker, with a lease of it; undefined where there is none now. */
export async function takeRemoteJob(workerId: number): Promise<TakenJob | undefined> {
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
  return prepared("SELECT * FROM jobs WHERE state = 'running' AND worker = ?").get(
    leaseName(workerId, lease),
  ) as LeasedJob | undefined;
}

/** Gives a job back unharmed. */
export async function giveBack(job: LeasedJob): Promise<void> {
  await returnToQueue(job);
  await removeReceived(job);
}

/** Records that a worker could not make it; `isFinal` when no other can. */
export async function failRemote(job: LeasedJob, reason: string, isFinal: boolean): Promise<void> {
  await fail(job, reason, isFinal);
  await removeReceived(job);
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
