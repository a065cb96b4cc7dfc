import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { inputArguments } from "../probe/ffmpeg.server";
import type { Probe } from "../probe/probe.server";
import { renditionsByContent, usualRenditions } from "./analysis.server";
import {
  type Artifact,
  cpuSecondsFor,
  isOnePicture,
  maxFileBytes,
  NO_ARTIFACT,
  type Source,
} from "./artifact";
import { dashManifest } from "./dash-manifest";
import {
  chosenHardware,
  deviceArguments,
  type Hardware,
  ladderSettings,
  type Pace,
  pictureArguments,
  presetFor,
  soundArguments,
  steadySound,
  threads,
  uploadFilter,
} from "./encoders.server";
import { pictureFilters } from "./filters.server";
import { readFragments } from "./fragments.server";
import { masterPlaylist, type SoundRendition, type Variant } from "./master-playlist";
import {
  keyframePlaylist,
  mediaPlaylist,
  type Segment,
  segmentsOf,
  soundSegments,
  targetDuration,
} from "./playlist";
import { keyframeEvery, type Rate, type Rendition, rateOf, steadyRate } from "./renditions";
import { withSoftware } from "./software-fallback.server";
import { type Sound, soundsFor } from "./sounds";
import { EncodeError, runFfmpeg, type Task } from "./task.server";

/**
 * An encoder of pictures that refer to later ones begins a few pictures late, and AAC with 1,024 samples
 * of silence. An edit list says so to whoever plays a file, by MSE too. ffmpeg knows both when the first
 * fragment is there, so it writes the header then (`delay_moov`).
 */
const FRAGMENTS = "+delay_moov+default_base_moof";
/** Of sound; a segment ends with one of them, so at most half of it before or behind the pictures. */
const SOUND_FRAGMENT_SECONDS = 1;
/** Sound that is copied and leaves out more of the film than this is not offered. */
const MOST_MISSING_SECONDS = 0.1;

/**
 * The adaptive stream (CMAF): every quality and every sound from one decoding of the film, each in a
 * file of its own, and the playlists over them.
 */
export async function encodeLadder(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
  pace: Pace = "idle",
): Promise<Artifact> {
  if (isOnePicture(probe)) return NO_ARTIFACT;
  const rate = steadyRate(probe.video.frameRate);
  const renditions = await (pace === "urgent"
    ? usualRenditions(probe)
    : renditionsByContent(source.file, probe, task));
  const folder = `hls-${generation}`;
  await mkdir(path.join(task.folder, folder), { recursive: true });
  const withPoor = renditions.some(({ forPoorLines }) => forPoorLines);
  const sounds = soundsFor(probe.sounds, withPoor);
  const ladder = {
    file: source.file,
    probe,
    renditions,
    sounds,
    rate,
    folder,
    preset: presetFor(pace),
  };
  const made = await encode(ladder, task);
  await copySurround(made, task);
  await writePlaylists(path.join(task.folder, folder), made);
  const target = `${source.basePath}/${folder}`;
  return {
    moves: [{ from: folder, bucket: "videos", path: target }],
    columns: {
      hls_url: `/media/videos/${target}/master.m3u8`,
      hls_settings: ladderSettings(),
    },
  };
}

/** With the default sound alone where one of the others can't be read: that must not cost the stream. */
async function encode(ladder: Ladder, task: Task): Promise<Ladder> {
  const { probe, renditions, sounds } = ladder;
  const run = (some: Ladder) =>
    withSoftware(chosenHardware(), (hardware) =>
      runFfmpeg(task, ladderArguments(some, hardware), {
        seconds: probe.durationSeconds,
        to: 0.98,
        fileBytes: maxFileBytes(probe.durationSeconds, renditions.at(-1)!.maxBitrate),
        cpuSeconds: cpuSecondsFor(probe) * 2,
      }),
    );
  try {
    await run(ladder);
    return ladder;
  } catch (error) {
    const withDefault = { ...ladder, sounds: sounds.filter(({ isDefault }) => isDefault) };
    if (!(error instanceof EncodeError) || withDefault.sounds.length === sounds.length) throw error;
    for (const { name } of sounds) await removeSound(ladder, task, name);
    await run(withDefault);
    return withDefault;
  }
}

/** By itself, since ffmpeg refuses some of what can be decoded; the stream is made without it then. */
async function copySurround(ladder: Ladder, task: Task): Promise<void> {
  const { file, probe, sounds, folder } = ladder;
  const copied = sounds.filter(({ encoding }) => encoding === "surround");
  if (copied.length === 0) return;
  const outputs = copied.flatMap(({ name, index }) => [
    ...["-map", `0:${index}`, "-c", "copy", "-t", probe.durationSeconds.toFixed(6)],
    ...soundFile(folder, name),
  ]);
  const { size } = await stat(file);
  const limits = { fileBytes: size + 64 * 1024 ** 2, cpuSeconds: cpuSecondsFor(probe) };
  try {
    const run = { seconds: probe.durationSeconds, silent: true, ...limits };
    await runFfmpeg(task, [...inputArguments(file), ...outputs], run);
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    for (const { name } of copied) await removeSound(ladder, task, name);
  }
}

async function removeSound({ folder }: Ladder, task: Task, name: string): Promise<void> {
  await rm(path.join(task.folder, folder, `${name}.mp4`), { force: true });
}

function soundFile(folder: string, name: string): string[] {
  return [
    ...["-map_metadata", "-1", "-movflags", FRAGMENTS],
    ...["-frag_duration", String(SOUND_FRAGMENT_SECONDS * 1_000_000)],
    ...["-f", "mp4", `${folder}/${name}.mp4`],
  ];
}

export interface Ladder {
  file: string;
  probe: Probe;
  renditions: readonly Rendition[];
  sounds: readonly Sound[];
  rate: Rate;
  folder: string;
  /** Of x264. */
  preset: string;
}

/**
 * One ffmpeg command: each rendition is scaled from the next larger one. The sounds have filters of
 * their own, since a graph of all would hold back the pictures until the last of them begins.
 */
export function ladderArguments(
  { file, probe, renditions, sounds, rate, folder, preset }: Ladder,
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
  return [
    ...deviceArguments(hardware),
    ...["-threads", String(threads()), ...inputArguments(file)],
    // Those of the sounds, of which there may be many, have one each.
    ...["-filter_complex_threads", String(threads()), "-filter_threads", "1"],
    ...["-filter_complex", graph.join(";")],
    ...largestFirst.flatMap((rendition, index) => [
      ...["-map", `[picture${index}]`],
      ...pictureArguments(hardware, {
        maxBitrate: rendition.maxBitrate,
        ...(rendition.forPoorLines && { bufferSeconds: 1 }),
        keyframeEvery: keyframeEvery(rendition, rate),
        crf: rendition.crf,
        preset,
      }),
      ...["-t", String(probe.durationSeconds + 1), "-map_metadata", "-1"],
      ...["-movflags", `+frag_keyframe${FRAGMENTS}`, "-f", "mp4"],
      `${folder}/${rendition.name}.mp4`,
    ]),
    ...sounds.flatMap(({ name, index, bitrate }) =>
      bitrate
        ? [
            ...["-map", `0:${index}`, "-af", steadySound(probe.durationSeconds)],
            ...[...soundArguments(bitrate), ...soundFile(folder, name)],
          ]
        : [],
    ),
  ];
}

interface PictureFile {
  rendition: Rendition;
  headerBytes: number;
  codec: string;
  segments: Segment[];
  keyframes: Segment[];
}

async function writePlaylists(folder: string, ladder: Ladder): Promise<void> {
  const pictures: PictureFile[] = [];
  for (const rendition of ladder.renditions) {
    const file = path.join(folder, `${rendition.name}.mp4`);
    const { fragments, ...found } = await readFragments(file);
    if (fragments.length === 0) throw new EncodeError("Not one segment could be made.");
    const keyframes = fragments.map(({ keyframeBytes: bytes, ...rest }) => ({ ...rest, bytes }));
    pictures.push({ rendition, ...found, segments: segmentsOf(fragments), keyframes });
  }
  const [{ segments }] = pictures as [PictureFile];
  const sounds = await readSounds(folder, ladder, segments);
  const target = Math.max(
    ...[...pictures, ...sounds].map(({ segments }) => targetDuration(segments)),
  );
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  for (const { file, headerBytes, playlist, segments } of sounds) {
    await write(playlist, mediaPlaylist(file, headerBytes, segments, target));
  }
  const variants: Variant[] = [];
  for (const { rendition, headerBytes, codec, segments, keyframes } of pictures) {
    const file = `${rendition.name}.mp4`;
    const names = {
      playlist: `${rendition.name}.m3u8`,
      keyframePlaylist: `${rendition.name}-keyframes.m3u8`,
    };
    await write(names.playlist, mediaPlaylist(file, headerBytes, segments, target));
    await write(names.keyframePlaylist, keyframePlaylist(file, headerBytes, keyframes));
    const { width, height, forPoorLines } = rendition;
    const { numerator, denominator } = rateOf(rendition, ladder.rate);
    const size = { width, height, frameRate: numerator / denominator };
    variants.push({ ...names, ...size, codec, segments, keyframes, forPoorLines });
  }
  await write("master.m3u8", masterPlaylist(variants, sounds));
  const files = pictures.map(({ rendition, ...found }, index) => ({
    ...{ ...variants[index]!, ...found },
    file: `${rendition.name}.mp4`,
  }));
  const seconds = { film: ladder.probe.durationSeconds, segment: target };
  await write("manifest.mpd", dashManifest(files, sounds, seconds));
}

/** The sounds that were made, without those that were copied and do not last as long as the film. */
async function readSounds(
  folder: string,
  { sounds, probe }: Ladder,
  pictures: readonly Segment[],
): Promise<(SoundRendition & { file: string; headerBytes: number })[]> {
  const found = [];
  for (const sound of sounds) {
    const file = `${sound.name}.mp4`;
    const made = await readFragments(path.join(folder, file)).catch(unlessMissing);
    if (!made) continue;
    const { fragments, headerBytes, codec } = made;
    const lasts = fragments.reduce((sum, { duration }) => sum + duration, 0);
    const isWhole = sound.bitrate || lasts > probe.durationSeconds - MOST_MISSING_SECONDS;
    if (!isWhole || fragments.length === 0) {
      await rm(path.join(folder, file));
      continue;
    }
    const segments = soundSegments(fragments, pictures);
    found.push({ ...sound, file, headerBytes, codec, segments, playlist: `${sound.name}.m3u8` });
  }
  const isOffered = new Set(found.filter((one) => one.isDefault).map(({ encoding }) => encoding));
  for (const { file, encoding } of found) {
    if (!isOffered.has(encoding)) await rm(path.join(folder, file));
  }
  return found.filter(({ encoding }) => isOffered.has(encoding));
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
