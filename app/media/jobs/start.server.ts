import { onShutdown } from "~/server/node/shutdown.server";
import { settings } from "~/server/settings.server";
import { announceFfmpeg, ffmpegAvailable } from "../probe/ffmpeg.server";
import { startRunner } from "./runner.server";

/** Lets the server's own process work on the queue, until it is asked to leave. */
export function startJobs(): void {
  announceFfmpeg();
  const { encoderConcurrency } = settings();
  if (!ffmpegAvailable() || encoderConcurrency === 0) return;
  const runner = startRunner(encoderConcurrency);
  onShutdown(() => runner.stop());
}
