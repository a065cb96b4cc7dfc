// npm run jobs: the queue in a terminal.
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
import { UsageError } from "./ask";
import { requireSite } from "./require-site";
import { runScript } from "./run-script";

const USAGE = `npm run jobs -- [--all] [--again] [--codecs ID] [--scan] [--retry]
                      [--pause | --resume] [--once | --work | --watch]

Shows what is being made of the videos, what waits, and what has failed.
  --all     ask for everything that the videos of the library still lack
  --again   make the streams anew that were made with other settings than today's, behind all the rest
  --codecs  add the further codecs of ENCODER_CODECS to the stream of the video with that id
  --scan    scan the videos that were never scanned, behind all the rest; they stay public meanwhile
  --retry   try again what has failed
  --pause   make nothing from now on, also after a restart; what runs is held
  --resume  go on
  --once    work on the queue in this process until there is nothing to do now; what failed is tried again later
  --work    the same, and stay for what comes, until Ctrl-C
  --watch   show the queue every second, until Ctrl-C`;

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
  async (asked) => {
    requireSite();
    if ([asked.once, asked.work, asked.watch].filter(Boolean).length > 1) {
      throw new UsageError("--once, --work and --watch exclude each other.");
    }
    if (asked.pause && asked.resume)
      throw new UsageError("--pause and --resume exclude each other.");
    if (!ffmpegAvailable()) console.warn(WITHOUT_FFMPEG);
    if (asked.pause || asked.resume) await setQueuePaused(asked.pause === true);
    if (asked.all)
      console.log(`Asked for ${formatQuantity(await enqueueMissingInLibrary(), "video")}.`);
    if (asked.again) {
      console.log(
        `To be converted again: ${formatQuantity(await reencodeOutdatedStreams(), "video")}.`,
      );
    }
    if (asked.scan) {
      if (!settings().scanCommand) throw new UsageError("SCAN_COMMAND is not set.");
      console.log(`To be scanned: ${formatQuantity(await scanLibrary(), "video")}.`);
    }
    if (asked.codecs) {
      logDisabledCodecs();
      const isAsked = await enqueueCodecs(asked.codecs);
      console.log(isAsked ? "Asked for its further codecs." : "There is nothing to add to it.");
    }
    if (asked.retry) console.log(`Trying ${await retryFailedJobs()} again.`);
    if ((asked.once || asked.work) && !canRunJobs()) throw new UsageError(WITHOUT_FFMPEG);
    if (asked.once || asked.work) await work(asked.work === true);
    else if (asked.watch) await watch();
    else await show();
  },
);

/** Prints the queue as it is. */
async function show(): Promise<void> {
  const { running, waiting, waitingCount, failed, diskFull, pausedSince } = await queueView();
  if (pausedSince) console.log("The queue is paused. npm run jobs -- --resume lets it go on.");
  if (diskFull) console.log("The disk is nearly full. The queue waits until there is room.");
  for (const job of running)
    console.log(`making   ${job.title}: ${job.label}, ${progressText(job)}`);
  for (const job of failed) console.log(`failed   ${job.title}: ${job.label}. ${job.reason}`);
  for (const job of waiting) {
    const tried = job.reason ? `. Tried ${timesText(job.attempts)}: ${job.reason}` : "";
    console.log(`waiting  ${job.title}: ${job.label}${job.isBlocked ? `. ${BLOCKED}` : tried}`);
  }
  if (waitingCount > waiting.length) console.log(`and ${waitingCount - waiting.length} more`);
  if (running.length + waitingCount + failed.length === 0) {
    console.log("Everything has been made.");
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

/** Works on the queue beside the server, or without one. */
async function work(stays: boolean): Promise<void> {
  const runner = startRunner(Math.max(1, settings().encoderConcurrency));
  const asked = new Promise<"asked to leave">((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => resolve("asked to leave"));
    }
  });
  // A timer keeps the process while it waits for work.
  const waiting = stays ? setInterval(() => {}, 60_000) : undefined;
  await Promise.race([asked, stays ? new Promise(() => {}) : runner.idle()]);
  clearInterval(waiting);
  await runner.stop();
  await show();
}
