import { stat } from "node:fs/promises";
import path from "node:path";
import { inputArguments } from "../probe/ffmpeg.server";
import type { Probe } from "../probe/probe.server";
import type { Artifact, Source } from "./artifact";
import { pictureArguments, uploadFilter } from "./encoders.server";
import { pictureFilters } from "./filters.server";
import { type Part, previewMoments } from "./preview-moments.server";
import { fit, steadyRate } from "./renditions";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

export const PREVIEW_MOST_BYTES = 500_000;
/** Its shorter side, its quality, and its bits a second at most. */
export const PREVIEW = { side: 270, crf: 27, maxBitrate: 420_000 };

/** A short muted clip, at most 500 KB, for the card that the mouse rests on. */
export async function createPreview(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
): Promise<Artifact> {
  const name = `preview-${generation}.mp4`;
  const moments = await previewMoments(source.playing, probe, task);
  for (let bitrate = PREVIEW.maxBitrate; ; bitrate /= 2) {
    await encode(source, probe, task, { name, moments, bitrate: Math.round(bitrate) });
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
  { name, moments, bitrate }: { name: string; moments: readonly Part[]; bitrate: number },
): Promise<void> {
  const { video } = probe;
  const rate = steadyRate(Math.min(30, video.frameRate));
  const filters = pictureFilters(video, fit(video, PREVIEW.side), rate).join(",");
  const inputs = moments.flatMap(({ start, seconds }) => [
    ...["-ss", start.toFixed(3), "-t", seconds.toFixed(3), "-threads", "1"],
    ...inputArguments(source.playing),
  ]);
  // The last picture of a part may stand longer than the part.
  const parts = moments
    .map(
      ({ seconds }, at) => `[${at}:${video.index}]${filters},trim=duration=${seconds}[part${at}];`,
    )
    .join("");
  const names = moments.map((_, at) => `[part${at}]`).join("");
  const joined = `${names}concat=n=${moments.length},${uploadFilter("off")}[clip]`;
  const seconds = moments.reduce((sum, part) => sum + part.seconds, 0);
  await runFfmpeg(
    task,
    [
      ...[...inputs, "-filter_complex", parts + joined, "-map", "[clip]", "-map_metadata", "-1"],
      ...pictureArguments("off", { maxBitrate: bitrate, crf: PREVIEW.crf }),
      ...["-movflags", "+faststart", name],
    ],
    { seconds, fileBytes: 64 * 1024 ** 2, cpuSeconds: 600 },
  );
}
