import { announceCodecs } from "~/media/encode/codecs/extra-codecs.server";
import { announceFfmpeg, ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { onShutdown } from "~/platform/node/shutdown.server";
import { settings } from "~/platform/settings.server";
import { processState } from "~db/runtime.server";
import { hasWork, startRunner } from "./runner.server";

const runner = processState(
  "job runner",
  () => startRunner(settings().encoderConcurrency),
  (started) => started.stop(),
);

/** Lets the server's own process work on the queue, until it is asked to leave. */
export function startJobs(): void {
  announceFfmpeg();
  if (ffmpegAvailable()) announceCodecs();
  if (!hasWork() || settings().encoderConcurrency === 0) return;
  const { stop } = runner();
  onShutdown(stop);
}
