import { onShutdown } from "~/server/node/shutdown.server";
import { settings } from "~/server/settings.server";
import { processState } from "~db/runtime.server";
import { announceCodecs } from "../encode/codecs/extra-codecs.server";
import { announceFfmpeg, ffmpegAvailable } from "../probe/ffmpeg.server";
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
