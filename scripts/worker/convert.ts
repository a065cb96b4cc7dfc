import { mkdir, readdir, rm, statfs } from "node:fs/promises";
import path from "node:path";
import { describeFailure } from "~/features/processing/queue/failure-reasons";
import { isSingleFrame } from "~/media/encode/artifact";
import type { Pace } from "~/media/encode/encoders.server";
import { encodeRenditions } from "~/media/encode/ladder.server";
import { createTask, EncodeError, type Progress } from "~/media/encode/task.server";
import { InterruptedError } from "~/media/probe/ffmpeg.server";
import { cachedProbe, RefusedFileError } from "~/media/probe/probe.server";
import { asJob } from "~/media/probe/process-gate.server";
import { forgetSettings } from "~/platform/settings.server";
import { LostLeaseError, RefusedError, type SiteClient, TokenError } from "./site";
import { fetchVideo, sendFile } from "./transfer";

/** The heartbeat interval, which is a twelfth of the lease. */
const BEAT_MS = 10_000;
/** The minimum free disk space for starting a job. */
const MIN_FREE_BYTES = 256 * 1024 ** 2;

/** A job from the site. */
export interface Job {
  lease: string;
  job: number;
  pace: Pace;
  settings: { maxHeight: number; preset: string };
  extension: string;
  paused: boolean;
}

/** The outcome of a job. `full`: this machine's disk is full, so it won't take any jobs for a while. */
export type End = "done" | "returned" | "lost" | "failed" | "full";

/**
 * Encodes a job's streams in `folder` and sends them to the site. Returns the job to the queue when `leave` is aborted.
 *
 * @throws {TokenError} if the site no longer accepts the token.
 */
export async function convert(
  site: SiteClient,
  job: Job,
  folder: string,
  leave: AbortSignal,
  log: (text: string) => void,
): Promise<End> {
  let latest: Progress = { fraction: 0 };
  const startedAt = performance.now();
  const task = createTask(path.join(folder, `job-${job.job}`), (progress) => {
    latest = progress;
  });
  let lost: unknown;
  const lease = `leases/${job.lease}`;
  let beating: Promise<void> | undefined;
  const sendBeat = async () => {
    const workedMs = performance.now() - startedAt - task.pausedMs();
    const { fraction, speed } = latest;
    const secondsLeft = (workedMs * (1 - fraction)) / fraction / 1000;
    const json = { progress: fraction, speed, ...(fraction > 0.02 && { secondsLeft }) };
    const response = await site.request(lease, { method: "POST", json, signal: task.signal });
    if ((await response.json<Pick<Job, "paused">>()).paused) task.pause();
    else task.resume();
    log(
      `Job ${job.job}: ${Math.floor(fraction * 100)}%${speed ? ` · ${speed.toFixed(1)}× speed` : ""}`,
    );
  };
  const beat = () => {
    beating ??= sendBeat().finally(() => {
      beating = undefined;
    });
    return beating;
  };
  const giveUp = (error: unknown) => {
    lost ??= error;
    task.abort();
  };
  const pulse = setInterval(() => beat().catch(giveUp), BEAT_MS);
  const onLeave = () => task.abort();
  leave.addEventListener("abort", onLeave);
  try {
    leave.throwIfAborted();
    await asJob(encodeAndSend);
    log(`Job ${job.job}: done.`);
    return "done";
  } catch (error) {
    return await ended(lost ?? error);
  } finally {
    clearInterval(pulse);
    leave.removeEventListener("abort", onLeave);
    await rm(task.folder, { recursive: true, force: true });
  }

  async function encodeAndSend(): Promise<void> {
    await rm(task.folder, { recursive: true, force: true });
    await mkdir(path.join(task.folder, "made"), { recursive: true });
    await requireRoom(task.folder);
    // The site chooses the stream's settings, and this machine chooses the encoder.
    process.env.ENCODER_MAX_HEIGHT = String(job.settings.maxHeight);
    process.env.ENCODER_PRESET = job.settings.preset;
    forgetSettings();
    const video = path.join(task.folder, `video${job.extension}`);
    const bytes = await fetchVideo(site, `${lease}/video`, video, task.signal);
    log(`Job ${job.job}: fetched ${Math.ceil(bytes / 1024 ** 2)} MB.`);
    const probe = await cachedProbe(video);
    if (!isSingleFrame(probe)) await encodeRenditions(video, probe, task, "made", job.pace);
    const made = path.join(task.folder, "made");
    const files: Record<string, string> = {};
    for (const name of await readdir(made)) {
      files[name] = await sendFile(
        site,
        `${lease}/files/${name}`,
        path.join(made, name),
        task.signal,
      );
    }
    task.signal.throwIfAborted();
    await site.request(`${lease}/result`, { method: "POST", json: { files }, signal: task.signal });
  }

  async function ended(error: unknown): Promise<End> {
    if (error instanceof TokenError) throw error;
    if (error instanceof LostLeaseError) {
      log(`Job ${job.job}: ${error.message}`);
      return "lost";
    }
    if (error instanceof RefusedError) {
      log(`Job ${job.job}: ${error.message}`);
      return "failed";
    }
    const isFull = (error as NodeJS.ErrnoException).code === "ENOSPC";
    if (leave.aborted || isFull) {
      await site.request(lease, {
        method: "DELETE",
        expected: [409],
        signal: AbortSignal.timeout(10_000),
      });
      const why = isFull && !leave.aborted ? ": this machine's disk is full" : "";
      log(`Job ${job.job}: returned to the queue${why}.`);
      return isFull ? "full" : "returned";
    }
    // Only an error caused by the video file itself is final.
    const final = error instanceof RefusedFileError;
    const isExpected = final || error instanceof EncodeError || error instanceof InterruptedError;
    if (!isExpected) console.error(error);
    const lines = error instanceof EncodeError ? error.lines : [];
    const reason = describeFailure((error as Error).message, lines).slice(0, 4_000);
    await site.request(`${lease}/failure`, {
      method: "POST",
      json: { reason, final },
      expected: [409],
    });
    log(`Job ${job.job}: failed. ${reason}`);
    return "failed";
  }
}

async function requireRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= MIN_FREE_BYTES) return;
  throw Object.assign(new Error("The disk is full."), { code: "ENOSPC" });
}
