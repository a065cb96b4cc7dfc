import { mkdir } from "node:fs/promises";
import path from "node:path";
import { removeTemporary } from "../files/temporary-files.server";
import { inputArguments } from "../probe/ffmpeg.server";
import { type Probe, timestampsJump } from "../probe/probe.server";
import { inputSize } from "../storage/ranged-input.server";
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
  ladderSettings,
  type Pace,
  pictureArguments,
  presetFor,
  QUALITY,
  soundArguments,
  steadySound,
  threads,
  uploadFilter,
  withSoftware,
} from "./encoders.server";
import { pictureFilters } from "./filters.server";
import { keyframeEvery, steadyRate, streamRenditions } from "./renditions.server";
import { soundsFor } from "./sounds";
import {
  type EarlyWatch,
  growPlaylists,
  type Ladder,
  markFinished,
  openUnfinished,
  writePlaylists,
} from "./stream-playlists.server";
import { EncodeError, NO_METADATA, runFfmpeg, type Task } from "./task.server";
import { copyOfStream } from "./transcode.server";

/**
 * An encoder of pictures that refer to later ones begins a few pictures late, and AAC with 1,024 samples
 * of silence. An edit list says so to whoever plays a file, by MSE too. ffmpeg knows both when the first
 * fragment is there, so it writes the header then (`delay_moov`).
 */
export const FRAGMENTS = "+delay_moov+default_base_moof";
/** By default the end of a fragment is written with the beginning of the next one. */
const WITHOUT_DELAY = ["-flush_packets", "1"];
/** Of sound; a segment ends with one of them, so at most half of it before or behind the pictures. */
const SOUND_FRAGMENT_SECONDS = 1;

/**
 * The adaptive stream (CMAF): every quality and every sound from one decoding of the video, each in a
 * file of its own, and the playlists over them.
 *
 * @param watch of a video that browsers can't play: it is watched while its stream is made, of which the
 *   file that is played without scripts becomes a copy.
 */
export async function encodeLadder(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
  pace: Pace = "idle",
  watch?: EarlyWatch,
): Promise<Artifact> {
  if (isOnePicture(probe)) return NO_ARTIFACT;
  const made = await encodeRenditions(source.file, probe, task, `hls-${generation}`, pace, watch);
  const stream = await finishStream(source, made, task, watch !== undefined);
  if (watch) await markFinished(path.resolve(task.folder, made.folder));
  return stream;
}

/**
 * The files of a stream without the playlists over them: all that takes long. It needs no database, so
 * that another machine can do it (docs/how-to/workers.md).
 *
 * @param folder in the folder of the task.
 */
export async function encodeRenditions(
  file: string,
  probe: Probe,
  task: Task,
  folder: string,
  pace: Pace,
  watch?: EarlyWatch,
): Promise<Ladder> {
  const renditions = streamRenditions(probe);
  const withLowBandwidth = renditions.some(({ forSlowConnections }) => forSlowConnections);
  const sounds = soundsFor(probe.sounds, withLowBandwidth);
  const preset = presetFor(pace);
  const rate = steadyRate(probe.video.frameRate);
  const made = await encode({ file, probe, renditions, sounds, rate, folder, preset }, task, watch);
  await copySurround(made, task);
  return made;
}

/**
 * The playlists over the files of a stream, wherever these were made.
 *
 * @param withCopy also the file that is played without scripts.
 */
export async function finishStream(
  source: Source,
  made: Ladder,
  task: Task,
  withCopy: boolean,
): Promise<Artifact> {
  const from = path.resolve(task.folder, made.folder);
  await writePlaylists(from, made);
  const target = `${source.basePath}/${path.basename(from)}`;
  const columns = {
    hls_url: `/media/videos/${target}/master.m3u8`,
    hls_settings: ladderSettings(),
  };
  const moves: Artifact["moves"] = [{ from: made.folder, bucket: "videos", path: target }];
  if (!withCopy) return { moves, columns };
  const copy = await copyOfStream(source, made, task);
  return { moves: [...moves, ...copy.moves], columns: { ...columns, ...copy.columns } };
}

/** With the default sound alone where one of the others can't be read: that must not cost the stream. */
async function encode(ladder: Ladder, task: Task, watch?: EarlyWatch): Promise<Ladder> {
  const { probe, renditions, sounds } = ladder;
  let runs = 0;
  const run = (some: Ladder) =>
    withSoftware(chosenHardware(), async (hardware) => {
      const name = `${some.folder}${runs++ || ""}`;
      const opened = watch
        ? { ...some, folder: await openUnfinished(watch, name), isWatched: true }
        : some;
      const folder = path.resolve(task.folder, opened.folder);
      await mkdir(folder, { recursive: true });
      const encoder = runFfmpeg(task, ladderArguments(opened, hardware), {
        seconds: probe.durationSeconds,
        to: 0.98,
        fileBytes: maxFileBytes(probe.durationSeconds, renditions.at(-1)!.maxBitrate),
        cpuSeconds: cpuSecondsFor(probe) * 2,
        folder,
      });
      await (watch ? growPlaylists(opened, watch, encoder) : encoder);
      return opened;
    });
  try {
    return await run(ladder);
  } catch (error) {
    const withDefault = { ...ladder, sounds: sounds.filter(({ isDefault }) => isDefault) };
    if (!(error instanceof EncodeError) || withDefault.sounds.length === sounds.length) throw error;
    for (const { name } of watch ? [] : sounds) await removeSound(ladder, task, name);
    return run(withDefault);
  }
}

/** By itself, since ffmpeg refuses some of what can be decoded; the stream is made without it then. */
async function copySurround(ladder: Ladder, task: Task): Promise<void> {
  const { file, probe, sounds, folder } = ladder;
  const copied = sounds.filter(({ encoding }) => encoding === "surround");
  if (copied.length === 0 || !probe.copyable) return;
  const outputs = copied.flatMap(({ name, index }) => [
    ...["-map", `0:${index}`, "-c", "copy", "-t", probe.durationSeconds.toFixed(6)],
    ...soundFile(folder, name),
  ]);
  const size = await inputSize(file);
  const limits = { fileBytes: size + 64 * 1024 ** 2, cpuSeconds: cpuSecondsFor(probe) };
  try {
    const run = {
      seconds: probe.durationSeconds,
      silent: true,
      folder: path.resolve(task.folder, folder),
      ...limits,
    };
    // Timestamps that jump are corrected by whichever stream comes first, in the other files the video.
    const video = timestampsJump(probe)
      ? ["-map", `0:${probe.video.index}`, "-c", "copy", "-f", "null", "-"]
      : [];
    await runFfmpeg(task, [...inputArguments(file, probe), ...outputs, ...video], run);
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    for (const { name } of copied) await removeSound(ladder, task, name);
  }
}

async function removeSound({ folder }: Ladder, task: Task, name: string): Promise<void> {
  await removeTemporary(path.resolve(task.folder, folder, `${name}.mp4`));
}

function soundFile(folder: string, name: string): string[] {
  return [
    ...[...NO_METADATA, "-movflags", FRAGMENTS],
    ...["-frag_duration", String(SOUND_FRAGMENT_SECONDS * 1_000_000), ...WITHOUT_DELAY],
    ...["-f", "mp4", `${folder}/${name}.mp4`],
  ];
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
    ...["-threads", String(threads()), ...inputArguments(file, probe)],
    // Those of the sounds, of which there may be many, have one each.
    ...["-filter_complex_threads", String(threads()), "-filter_threads", "1"],
    ...["-filter_complex", graph.join(";")],
    ...largestFirst.flatMap((rendition, index) => [
      ...["-map", `[picture${index}]`],
      ...pictureArguments(hardware, {
        maxBitrate: rendition.maxBitrate,
        ...(rendition.forSlowConnections && { bufferSeconds: 1 }),
        keyframeEvery: keyframeEvery(rendition, rate),
        crf: QUALITY,
        preset,
      }),
      ...["-t", String(probe.durationSeconds + 1), ...NO_METADATA],
      ...["-movflags", `+frag_keyframe${FRAGMENTS}`, ...WITHOUT_DELAY, "-f", "mp4"],
      `${folder}/${rendition.name}.mp4`,
    ]),
    ...sounds.flatMap(({ name, index, bitrate }) =>
      bitrate
        ? [
            ...["-map", `0:${index}`, "-af", steadySound(probe)],
            ...[...soundArguments(bitrate), ...soundFile(folder, name)],
          ]
        : [],
    ),
  ];
}
