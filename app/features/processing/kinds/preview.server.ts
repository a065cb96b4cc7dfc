import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import type { Artifact, Source } from "~/media/encode/artifact";
import {
  chooseEncoder,
  extraCodecArguments,
  extraCodecs,
  uploadFilter,
  videoArguments,
} from "~/media/encode/encoders.server";
import { videoFilters } from "~/media/encode/filters.server";
import { constantFrameRate, fit } from "~/media/encode/renditions.server";
import { EncodeError, NO_METADATA, runFfmpeg, type Task } from "~/media/encode/task.server";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import type { Probe } from "~/media/probe/probe.server";
import { AV1_PREVIEW, H264_PREVIEW, previewStart } from "~/shared/streams/preview-files";

export const MAX_PREVIEW_BYTES = 500_000;
/** The length of the shorter side in pixels, the quality, and the maximum bitrate in bits per second. */
const PREVIEW = { side: 270, crf: 27, maxBitrate: 420_000 };

const CLIP_SECONDS = 8;

/**
 * AV1 encoders add keyframes only if an interval is specified. The clip is always played from its start, so it doesn't
 * need any keyframes besides the first one.
 */
const KEYFRAME_EVERY = 250;

/**
 * Encodes a short clip of at most 500 KB, without audio, as a card's hover preview. If AV1 is enabled, this creates a
 * folder with the clip in both codecs.
 */
export async function createPreview(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
): Promise<Artifact> {
  const inAv1 = extraCodecs().includes("av1");
  const folder = `preview-${generation}`;
  const name = inAv1 ? `${folder}/${H264_PREVIEW}` : `${folder}.mp4`;
  if (inAv1) await mkdir(path.join(task.folder, folder));
  const clip = { source, probe, task };
  await encodeSmall(clip, name, (maxBitrate) =>
    videoArguments("off", { maxBitrate, crf: PREVIEW.crf }),
  );
  if (inAv1) {
    await encodeSmall(clip, `${folder}/${AV1_PREVIEW}`, (maxBitrate) =>
      extraCodecArguments(chooseEncoder("av1"), {
        maxBitrate,
        crf: PREVIEW.crf,
        keyframeInterval: KEYFRAME_EVERY,
      }),
    );
  }
  const moved = inAv1 ? folder : name;
  return {
    moves: [{ from: moved, bucket: "videos", path: `${source.basePath}/${moved}` }],
    columns: { preview_url: `/media/videos/${source.basePath}/${name}` },
  };
}

interface Clip {
  source: Source;
  probe: Probe;
  task: Task;
}

/** Halves the bitrate until the clip is small enough. */
async function encodeSmall(
  clip: Clip,
  name: string,
  codec: (maxBitrate: number) => string[],
): Promise<void> {
  for (let bitrate = PREVIEW.maxBitrate; ; bitrate /= 2) {
    await encode(clip, name, codec(Math.round(bitrate)));
    const { size } = await stat(path.join(clip.task.folder, name));
    if (size <= MAX_PREVIEW_BYTES) return;
    if (bitrate < 10_000)
      throw new EncodeError("The hover preview is too large even at the lowest bitrate.");
  }
}

/** Encodes one continuous part of the video, so that playback loops back to the start of the preview. */
async function encode(
  { source, probe, task }: Clip,
  name: string,
  codec: readonly string[],
): Promise<void> {
  const { video, durationSeconds } = probe;
  const rate = constantFrameRate(Math.min(30, video.frameRate));
  const start = previewStart(durationSeconds);
  const filters = [
    ...videoFilters(video, fit(video, PREVIEW.side), rate),
    // The last frame may extend beyond the part that is being read.
    `trim=duration=${CLIP_SECONDS}`,
    uploadFilter("off"),
  ];
  await runFfmpeg(
    task,
    [
      ...["-ss", start.toFixed(3), "-t", String(CLIP_SECONDS), "-threads", "1"],
      ...inputArguments(source.playedFile),
      ...["-map", `0:${video.index}`, "-vf", filters.join(","), ...NO_METADATA],
      ...codec,
      ...["-movflags", "+faststart", name],
    ],
    { seconds: CLIP_SECONDS, fileBytes: 64 * 1024 ** 2, cpuSeconds: 600 },
  );
}
