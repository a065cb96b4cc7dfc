import { stat } from "node:fs/promises";
import path from "node:path";
import { inputArguments } from "../probe/ffmpeg.server";
import type { Probe } from "../probe/probe.server";
import type { Artifact, Source } from "./artifact";
import { pictureArguments, uploadFilter } from "./encoders.server";
import { pictureFilters } from "./filters.server";
import { fit, steadyRate } from "./renditions";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

/** The rule of the hover preview (specification, section 9). */
const START_SECONDS = 25;
const CLIP_SECONDS = 8;
export const PREVIEW_MOST_BYTES = 500_000;
const SIDE = 270;
const FIRST_BITRATE = 420_000;

/** Where the clip begins: 25 s in, or so that its middle is the middle of a short film. */
export function previewStart(durationSeconds: number): number {
  if (durationSeconds >= START_SECONDS + CLIP_SECONDS) return START_SECONDS;
  return Math.max(0, (durationSeconds - CLIP_SECONDS) / 2);
}

/** A short muted clip, at most 500 KB, for the card that the mouse rests on. */
export async function createPreview(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
): Promise<Artifact> {
  const name = `preview-${generation}.mp4`;
  for (let bitrate = FIRST_BITRATE; ; bitrate /= 2) {
    await encode(source, probe, task, name, Math.round(bitrate));
    const { size } = await stat(path.join(task.folder, name));
    if (size <= PREVIEW_MOST_BYTES) break;
    if (bitrate < 10_000) throw new EncodeError("The hover preview does not get small enough.");
  }
  const target = `${source.basePath}/${name}`;
  return {
    moves: [{ from: name, bucket: "videos", path: target }],
    columns: { preview_url: `/media/videos/${target}` },
  };
}

async function encode(
  source: Source,
  probe: Probe,
  task: Task,
  name: string,
  bitrate: number,
): Promise<void> {
  const size = fit(probe.video, SIDE);
  const rate = steadyRate(Math.min(30, probe.video.frameRate));
  await runFfmpeg(
    task,
    [
      ...["-ss", previewStart(probe.durationSeconds).toFixed(3), "-t", String(CLIP_SECONDS)],
      ...["-threads", "1", ...inputArguments(source.playing)],
      ...["-map", `0:${probe.video.index}`, "-an", "-sn", "-map_metadata", "-1"],
      ...["-vf", [...pictureFilters(probe.video, size, rate), uploadFilter("off")].join(",")],
      ...pictureArguments("off", { maxBitrate: bitrate, crf: 27 }),
      ...["-movflags", "+faststart", name],
    ],
    { seconds: CLIP_SECONDS, fileBytes: 64 * 1024 ** 2, cpuSeconds: 600 },
  );
}
