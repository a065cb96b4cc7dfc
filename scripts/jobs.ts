// npm run jobs: shows and controls the job queue.
import { setTimeout } from "node:timers/promises";
import { scanLibrary } from "~/features/processing/kinds/scan.server";
import {
  enqueueCodecs,
  enqueueMissingInLibrary,
  reencodeOutdatedStreams,
} from "~/features/processing/queue/enqueue.server";
import { WITHOUT_FFMPEG } from "~/features/processing/queue/failure-reasons";
import { BLOCKED, progressText } from "~/features/processing/queue/kinds";
import { retryFailedJobs } from "~/features/processing/queue/queue.server";
import { setQueuePaused } from "~/features/processing/queue/queue-state.server";
import { queueView } from "~/features/processing/queue/summaries.server";
import { canRunJobs, startRunner } from "~/features/processing/queue/worker.server";
import { logDisabledCodecs } from "~/media/encode/encoders.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { settings } from "~/platform/settings.server";
import { formatQuantity } from "~/shared/format";
import { UsageError } from "./prompt";
import { requireSite } from "./require-site";
import { runScript } from "./run-script";

const USAGE = `npm run jobs -- [--all] [--again] [--codecs ID] [--scan] [--retry]
                      [--pause | --resume] [--once | --work | --watch]

Shows the running, queued and failed jobs.
  --all     queue all missing jobs of all videos
  --again   re-encode the streams that were encoded with different settings, after all other jobs
  --codecs  add the additional codecs in ENCODER_CODECS to the stream of the video with this id
  --scan    scan the videos that were never scanned, after all other jobs; they stay public until then
  --retry   retry the failed jobs
  --pause   pause the queue, even across restarts, and suspend running jobs
  --resume  resume the queue
  --once    run the jobs in this process until no job is due; failed attempts are retried later
  --work    run the jobs in this process, and wait for more until Ctrl-C
  --watch   show the queue every second until Ctrl-C`;

await runScript(
  USAGE,
  {
    all: { type: "boolean" },
    again: { type: "boolean" },
    scan: { type: "boolean" },
    codecs: { type: "string" },
    retry: { type: "boolean" },
    pause: { type: "boolean" },
    resume: { type: "boolean" },
    once: { type: "boolean" },
    work: { type: "boolean" },
    watch: { type: "boolean" },
  },
  async (options) => {
    requireSite();
    if ([options.once, options.work, options.watch].filter(Boolean).length > 1) {
      throw new UsageError("Use only one of --once, --work and --watch.");
    }
    if (options.pause && options.resume)
      throw new UsageError("Use only one of --pause and --resume.");
    if (!ffmpegAvailable()) console.warn(WITHOUT_FFMPEG);
    if (options.pause || options.resume) await setQueuePaused(options.pause === true);
    if (options.all) {
      console.log(
        `Queued missing jobs for ${formatQuantity(await enqueueMissingInLibrary(), "video")}.`,
      );
    }
    if (options.again) {
      console.log(
        `Queued ${formatQuantity(await reencodeOutdatedStreams(), "video")} for re-encoding.`,
      );
    }
    if (options.scan) {
      if (!settings().scanCommand) throw new UsageError("SCAN_COMMAND is not set.");
      console.log(`Queued ${formatQuantity(await scanLibrary(), "video")} for scanning.`);
    }
    if (options.codecs) {
      logDisabledCodecs();
      const isQueued = await enqueueCodecs(options.codecs);
      console.log(isQueued ? "Queued the additional codecs." : "There are no codecs to add.");
    }
    if (options.retry) console.log(`Retrying ${formatQuantity(await retryFailedJobs(), "job")}.`);
    if ((options.once || options.work) && !canRunJobs()) throw new UsageError(WITHOUT_FFMPEG);
    if (options.once || options.work) await work(options.work === true);
    else if (options.watch) await watch();
    else await show();
  },
);

/** Prints the queue. */
async function show(): Promise<void> {
  const { running, waiting, waitingCount, failed, diskFull, pausedSince } = await queueView();
  if (pausedSince) console.log("The queue is paused. Resume it with npm run jobs -- --resume.");
  if (diskFull) console.log("The disk is almost full. Jobs wait until there is free space.");
  for (const job of running)
    console.log(`running  ${job.title}: ${job.label}, ${progressText(job)}`);
  for (const job of failed) console.log(`failed   ${job.title}: ${job.label}. ${job.reason}`);
  for (const job of waiting) {
    const tried = job.reason ? `. Failed ${timesText(job.attempts)}: ${job.reason}` : "";
    console.log(`queued   ${job.title}: ${job.label}${job.isBlocked ? `. ${BLOCKED}` : tried}`);
  }
  if (waitingCount > waiting.length) console.log(`and ${waitingCount - waiting.length} more`);
  if (running.length + waitingCount + failed.length === 0) {
    console.log("The queue is empty.");
  }
}

const timesText = (times: number) => (times === 1 ? "once" : `${times} times`);

async function watch(): Promise<void> {
  for (;;) {
    console.clear();
    await show();
    await setTimeout(1_000);
  }
}

/** Runs jobs in this process. A server may be running at the same time. */
async function work(waitsForMore: boolean): Promise<void> {
  const runner = startRunner(Math.max(1, settings().encoderConcurrency));
  const signaled = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  // A timer keeps the process alive while it is waiting for jobs.
  const waiting = waitsForMore ? setInterval(() => {}, 60_000) : undefined;
  await Promise.race([signaled, waitsForMore ? new Promise(() => {}) : runner.idle()]);
  clearInterval(waiting);
  await runner.stop();
  await show();
}
