import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { inputArguments } from "../probe/ffmpeg.server";
import type { Probe } from "../probe/probe.server";
import {
  type Artifact,
  cpuSecondsFor,
  isOnePicture,
  maxFileBytes,
  NO_ARTIFACT,
  type Source,
} from "./artifact";
import {
  chosenHardware,
  deviceArguments,
  type Hardware,
  pictureArguments,
  soundArguments,
  steadySound,
  threads,
  uploadFilter,
} from "./encoders.server";
import { pictureFilters } from "./filters.server";
import { readFragments } from "./fragments.server";
import { keyframePlaylist, masterPlaylist, mediaPlaylist, segmentsOf } from "./playlist";
import {
  keyframeEvery,
  type Rate,
  type Rendition,
  rateOf,
  renditionsFor,
  steadyRate,
} from "./renditions";
import { withSoftware } from "./software-fallback.server";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

const QUALITY = 23;
/**
 * An encoder of pictures that refer to later ones begins a few pictures late, and AAC with 1,024 samples
 * of silence. An edit list says so to whoever plays a file, by MSE too. ffmpeg knows both when the first
 * fragment is there, so it writes the header then (`delay_moov`).
 */
const FRAGMENTS = "+frag_keyframe+delay_moov+default_base_moof";

/** The adaptive stream: every quality from one decoding of the film, and the playlists over them. */
export async function encodeLadder(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
): Promise<Artifact> {
  if (isOnePicture(probe)) return NO_ARTIFACT;
  const renditions = renditionsFor(probe.video, settings().encoderMaxHeight);
  const rate = steadyRate(probe.video.frameRate);
  const folder = `hls-${generation}`;
  await mkdir(path.join(task.folder, folder), { recursive: true });
  const ladder = { file: source.file, probe, renditions, rate, folder };
  await withSoftware(chosenHardware(), (hardware) =>
    runFfmpeg(task, ladderArguments(ladder, hardware), {
      seconds: probe.durationSeconds,
      to: 0.99,
      fileBytes: maxFileBytes(probe.durationSeconds, renditions.at(-1)!.maxBitrate),
      cpuSeconds: cpuSecondsFor(probe) * 2,
    }),
  );
  await writePlaylists(path.join(task.folder, folder), renditions, rate);
  const target = `${source.basePath}/${folder}`;
  return {
    moves: [{ from: folder, bucket: "videos", path: target }],
    columns: { hls_url: `/media/videos/${target}/master.m3u8` },
  };
}

export interface Ladder {
  file: string;
  probe: Probe;
  renditions: readonly Rendition[];
  rate: Rate;
  folder: string;
}

/** One ffmpeg command: each rendition is scaled from the next larger one, and has the sound in it. */
export function ladderArguments(
  { file, probe, renditions, rate, folder }: Ladder,
  hardware: Hardware,
): string[] {
  const largestFirst = [...renditions].reverse();
  const graph: string[] = [];
  for (const [index, rendition] of largestFirst.entries()) {
    // Left out once, every second picture stays out of what is scaled from it.
    const thin =
      rendition.everySecond && !largestFirst[index - 1]?.everySecond ? ["framestep=2"] : [];
    const filters =
      index === 0
        ? [...pictureFilters(probe.video, rendition, rate), ...thin]
        : [...thin, `scale=${rendition.width}:${rendition.height}:flags=bicubic`, "setsar=1"];
    const from = index === 0 ? `[0:${probe.video.index}]` : `[rest${index}]`;
    const to = `${uploadFilter(hardware)}[picture${index}]`;
    graph.push(
      index === largestFirst.length - 1
        ? `${from}${filters.join(",")},${to}`
        : `${from}${filters.join(",")},split[here${index}][rest${index + 1}];[here${index}]${to}`,
    );
  }
  if (probe.audio) {
    const outputs = largestFirst.map((_, index) => `[sound${index}]`);
    graph.push(
      `[0:${probe.audio.index}]${steadySound(probe.durationSeconds)},asplit=${outputs.length}${outputs.join("")}`,
    );
  }
  return [
    ...deviceArguments(hardware),
    ...["-threads", String(threads()), ...inputArguments(file)],
    ...["-filter_complex_threads", String(threads())],
    ...["-filter_complex", graph.join(";")],
    ...largestFirst.flatMap((rendition, index) => [
      ...["-map", `[picture${index}]`, ...(probe.audio ? ["-map", `[sound${index}]`] : [])],
      ...pictureArguments(hardware, {
        maxBitrate: rendition.maxBitrate,
        keyframeEvery: keyframeEvery(rendition, rate),
        crf: QUALITY,
      }),
      ...(probe.audio ? soundArguments(rendition.audioBitrate) : []),
      ...["-t", String(probe.durationSeconds + 1), "-map_metadata", "-1"],
      ...["-movflags", FRAGMENTS, "-f", "mp4", `${folder}/${rendition.name}.mp4`],
    ]),
  ];
}

async function writePlaylists(
  folder: string,
  renditions: readonly Rendition[],
  rate: Rate,
): Promise<void> {
  const variants = [];
  for (const rendition of renditions) {
    const file = `${rendition.name}.mp4`;
    const { headerBytes, fragments, codecs } = await readFragments(path.join(folder, file));
    if (fragments.length === 0) throw new EncodeError("Not one segment could be made.");
    const playlist = `${rendition.name}.m3u8`;
    const winding = `${rendition.name}-keyframes.m3u8`;
    const segments = segmentsOf(fragments);
    const keyframes = fragments.map(({ keyframeBytes: bytes, ...rest }) => ({ ...rest, bytes }));
    await writeFile(path.join(folder, playlist), mediaPlaylist(file, headerBytes, segments));
    await writeFile(path.join(folder, winding), keyframePlaylist(file, headerBytes, keyframes));
    const { numerator, denominator } = rateOf(rendition, rate);
    const { width, height } = rendition;
    const frameRate = numerator / denominator;
    const names = { playlist, keyframePlaylist: winding };
    variants.push({ ...names, width, height, frameRate, codecs, segments, keyframes });
  }
  await writeFile(path.join(folder, "master.m3u8"), masterPlaylist(variants));
}
