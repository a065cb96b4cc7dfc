import { onShutdown } from "~/server/node/shutdown.server";
import { settings } from "~/server/settings.server";
import { announceCodecs } from "../encode/codecs/extra-codecs.server";
import { announceFfmpeg, ffmpegAvailable } from "../probe/ffmpeg.server";
import { startRunner } from "./runner.server";

/** Lets the server's own process work on the queue, until it is asked to leave. */
export function startJobs(): void {
  announceFfmpeg();
  if (ffmpegAvailable()) announceCodecs();
  const { encoderConcurrency } = settings();
  if (!ffmpegAvailable() || encoderConcurrency === 0) return;
  const runner = startRunner(encoderConcurrency);
  onShutdown(() => runner.stop());
}
