import { mkdir } from "node:fs/promises";
import path from "node:path";
import { removeTemporary } from "../files/temporary-files.server";
import { inputArguments } from "../probe/ffmpeg.server";
import { type Probe, timestampsJump } from "../probe/probe.server";
import { inputSize } from "../storage/ranged-input.server";
import {
  type Artifact,
  cpuSecondsFor,
  isSingleFrame,
  maxFileBytes,
  NO_ARTIFACT,
  type Source,
} from "./artifact";
import { audioRenditionsFor } from "./audio-renditions";
import {
  activeHardware,
  audioArguments,
  audioSyncFilter,
  deviceArguments,
  type Hardware,
  ladderSettings,
  type Pace,
  presetFor,
  QUALITY,
  threads,
  uploadFilter,
  videoArguments,
  withSoftware,
} from "./encoders.server";
import { videoFilters } from "./filters.server";
import { constantFrameRate, keyframeInterval, streamRenditions } from "./renditions.server";
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
 * With B-frames, the first frame is delayed by a few frames, and AAC begins with 1,024 samples of priming. An edit list
 * tells players about both, including players that use MSE. ffmpeg doesn't know either value until it has the first
 * fragment, so it writes the header only then (`delay_moov`).
 */
export const FRAGMENTS = "+delay_moov+default_base_moof";
/** Without this option, ffmpeg writes the end of a fragment together with the beginning of the next one. */
const FLUSH_IMMEDIATELY = ["-flush_packets", "1"];
/**
 * The duration of an audio fragment. Audio segments end at fragment boundaries, so they end at most half a fragment
 * before or after the video segment.
 */
const AUDIO_FRAGMENT_SECONDS = 1;

/**
 * Encodes the adaptive stream (CMAF) and writes its playlists. The source is decoded once, and each video or audio
 * rendition is written to a separate file.
 *
 * @param watch for a video that browsers can't play: it can be watched while its stream is being encoded, and the file
 *   that is played without JavaScript is remuxed from the stream.
 */
export async function encodeLadder(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
  pace: Pace = "idle",
  watch?: EarlyWatch,
): Promise<Artifact> {
  if (isSingleFrame(probe)) return NO_ARTIFACT;
  const ladder = await encodeRenditions(source.file, probe, task, `hls-${generation}`, pace, watch);
  const stream = await finishStream(source, ladder, task, watch !== undefined);
  if (watch) await markFinished(path.resolve(task.folder, ladder.folder));
  return stream;
}

/**
 * Encodes a stream's files without its playlists, which is the time-consuming part. It doesn't use the database, so
 * that another machine can run it (docs/how-to/workers.md).
 *
 * @param folder relative to the task's folder.
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
  const audio = audioRenditionsFor(probe.audioTracks, withLowBandwidth);
  const preset = presetFor(pace);
  const rate = constantFrameRate(probe.video.frameRate);
  const ladder = await encode(
    { file, probe, renditions, audio, rate, folder, preset },
    task,
    watch,
  );
  await copySurround(ladder, task);
  return ladder;
}

/**
 * Writes a stream's playlists, regardless of which machine encoded the stream's files.
 *
 * @param withCopy also creates the file that is played without JavaScript.
 */
export async function finishStream(
  source: Source,
  ladder: Ladder,
  task: Task,
  withCopy: boolean,
): Promise<Artifact> {
  const from = path.resolve(task.folder, ladder.folder);
  await writePlaylists(from, ladder);
  const target = `${source.basePath}/${path.basename(from)}`;
  const columns = {
    hls_url: `/media/videos/${target}/master.m3u8`,
    hls_settings: ladderSettings(),
  };
  const moves: Artifact["moves"] = [{ from: ladder.folder, bucket: "videos", path: target }];
  if (!withCopy) return { moves, columns };
  const copy = await copyOfStream(source, ladder, task);
  return { moves: [...moves, ...copy.moves], columns: { ...columns, ...copy.columns } };
}

/** Encodes a ladder. If that fails, retries with the default audio only, since the other tracks may be unreadable. */
async function encode(ladder: Ladder, task: Task, watch?: EarlyWatch): Promise<Ladder> {
  const { probe, renditions, audio } = ladder;
  let runs = 0;
  const run = (attempted: Ladder) =>
    withSoftware(activeHardware(), async (hardware) => {
      const name = `${attempted.folder}${runs++ || ""}`;
      const opened = watch
        ? { ...attempted, folder: await openUnfinished(watch, name), isWatched: true }
        : attempted;
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
    const withDefault = { ...ladder, audio: audio.filter(({ isDefault }) => isDefault) };
    if (!(error instanceof EncodeError) || withDefault.audio.length === audio.length) throw error;
    for (const { name } of watch ? [] : audio) await removeAudio(ladder, task, name);
    return run(withDefault);
  }
}

/**
 * Copies surround audio in a separate run, because ffmpeg can't copy some audio streams. If copying fails, the adaptive
 * stream has no surround audio.
 */
async function copySurround(ladder: Ladder, task: Task): Promise<void> {
  const { file, probe, audio, folder } = ladder;
  const copied = audio.filter(({ encoding }) => encoding === "surround");
  if (copied.length === 0 || !probe.copyable) return;
  const outputs = copied.flatMap(({ name, index }) => [
    ...["-map", `0:${index}`, "-c", "copy", "-t", probe.durationSeconds.toFixed(6)],
    ...audioFileArguments(folder, name),
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
    // ffmpeg corrects timestamp jumps based on the first stream that it reads. When the other renditions are encoded,
    // that is the video stream, so read it here too.
    const video = timestampsJump(probe)
      ? ["-map", `0:${probe.video.index}`, "-c", "copy", "-f", "null", "-"]
      : [];
    await runFfmpeg(task, [...inputArguments(file, probe), ...outputs, ...video], run);
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    for (const { name } of copied) await removeAudio(ladder, task, name);
  }
}

async function removeAudio({ folder }: Ladder, task: Task, name: string): Promise<void> {
  await removeTemporary(path.resolve(task.folder, folder, `${name}.mp4`));
}

function audioFileArguments(folder: string, name: string): string[] {
  return [
    ...[...NO_METADATA, "-movflags", FRAGMENTS],
    ...["-frag_duration", String(AUDIO_FRAGMENT_SECONDS * 1_000_000), ...FLUSH_IMMEDIATELY],
    ...["-f", "mp4", `${folder}/${name}.mp4`],
  ];
}

/**
 * Returns the arguments of one ffmpeg command that encodes all renditions, each scaled from the next larger one. Audio
 * has separate filters: in a shared filter graph, the video would wait until the last audio stream begins.
 */
export function ladderArguments(
  { file, probe, renditions, audio, rate, folder, preset }: Ladder,
  hardware: Hardware,
): string[] {
  const largestFirst = [...renditions].reverse();
  const graph: string[] = [];
  for (const [index, rendition] of largestFirst.entries()) {
    // Once a rendition has dropped every other frame, the smaller ones lack those frames too.
    const thin =
      rendition.hasHalfFrameRate && !largestFirst[index - 1]?.hasHalfFrameRate
        ? ["framestep=2"]
        : [];
    const filters =
      index === 0
        ? [...videoFilters(probe.video, rendition, rate), ...thin]
        : [...thin, `scale=${rendition.width}:${rendition.height}:flags=bicubic`, "setsar=1"];
    const from = index === 0 ? `[0:${probe.video.index}]` : `[rest${index}]`;
    const to = `${uploadFilter(hardware)}[video${index}]`;
    graph.push(
      index === largestFirst.length - 1
        ? `${from}${filters.join(",")},${to}`
        : `${from}${filters.join(",")},split[here${index}][rest${index + 1}];[here${index}]${to}`,
    );
  }
  return [
    ...deviceArguments(hardware),
    ...["-threads", String(threads()), ...inputArguments(file, probe)],
    // Use one filter thread per audio rendition, because there may be many renditions.
    ...["-filter_complex_threads", String(threads()), "-filter_threads", "1"],
    ...["-filter_complex", graph.join(";")],
    ...largestFirst.flatMap((rendition, index) => [
      ...["-map", `[video${index}]`],
      ...videoArguments(hardware, {
        maxBitrate: rendition.maxBitrate,
        ...(rendition.forSlowConnections && { bufferSeconds: 1 }),
        keyframeInterval: keyframeInterval(rendition, rate),
        crf: QUALITY,
        preset,
      }),
      ...["-t", String(probe.durationSeconds + 1), ...NO_METADATA],
      ...["-movflags", `+frag_keyframe${FRAGMENTS}`, ...FLUSH_IMMEDIATELY, "-f", "mp4"],
      `${folder}/${rendition.name}.mp4`,
    ]),
    ...audio.flatMap(({ name, index, bitrate }) =>
      bitrate
        ? [
            ...["-map", `0:${index}`, "-af", audioSyncFilter(probe)],
            ...[...audioArguments(bitrate), ...audioFileArguments(folder, name)],
          ]
        : [],
    ),
  ];
}
