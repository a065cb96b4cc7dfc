import { stat } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { languageTag, UNKNOWN } from "../captions/languages";
import { inputArguments } from "../probe/ffmpeg.server";
import { cachedProbe, type Probe, timestampsJump } from "../probe/probe.server";
import { type AudioTrack, isPlayableVideo } from "../probe/streams";
import { inputSize } from "../storage/ranged-input.server";
import {
  type Artifact,
  cpuSecondsFor,
  isSingleFrame,
  maxFileBytes,
  NO_ARTIFACT,
  type Source,
} from "./artifact";
import { decodeFrames, isAsLong, isWholeCopy, streamsOf } from "./count-frames.server";
import {
  activeHardware,
  audioArguments,
  audioSyncFilter,
  deviceArguments,
  type Hardware,
  threads,
  uploadFilter,
  videoArguments,
  withSoftware,
} from "./encoders.server";
import { videoFilters } from "./filters.server";
import { constantFrameRate, fit, type Rendition, renditionsFor } from "./renditions.server";
import type { Ladder } from "./stream-playlists.server";
import { EncodeError, NO_METADATA, runFfmpeg, type Task } from "./task.server";

/** The first rendition is small so that it is ready quickly. The ladder adds larger ones later. */
const FIRST_SIDE = 720;
const FIRST_BITRATE = 4_000_000;
const FIRST_AUDIO_BITRATE = 128_000;
const FILE = "playable.mp4";
const NOT_DECODABLE =
  "The new file is incomplete or has decoding errors. The previous file was kept.";

/** Codecs that many phones and TVs can't decode. */
const NOT_WIDELY_SUPPORTED = ["av1"];

/** Containers whose timestamps survive copying. Timestamps from AVI and MPEG don't. */
const COPYABLE_CONTAINERS = ["mp4", "mov", "matroska", "webm", "mpegts", "flv"];

/** Returns which of a file's streams can be copied into an MP4 that browsers play, and which have to be encoded. */
export function conversionOf(probe: Probe): { video: "copy" | "encode"; audio: "copy" | "encode" } {
  const { container, video, audio } = probe;
  // Appended recordings may have different codec parameters, but an MP4 would keep only the first set.
  if (timestampsJump(probe)) return { video: "encode", audio: "encode" };
  const isKnown = probe.copyable && COPYABLE_CONTAINERS.includes(container);
  const isCopied = isKnown && isPlayableVideo(video) && video.codec !== "vp8";
  const codecs = isCopied && video.codec !== "h264" ? ["aac", "mp3", "opus"] : ["aac", "mp3"];
  return {
    video: isCopied ? "copy" : "encode",
    audio: audio && isKnown && codecs.includes(audio.codec) ? "copy" : "encode",
  };
}

/**
 * Whether a video is first played as a stream, from which the file for browsers is remuxed later, so that the video is
 * decoded only once. Rows written by other tools are excluded, because they refer to the original file until there is a
 * playable one. Files whose timestamps jump are excluded too, because posters and comparisons seek by time and need a
 * converted file first.
 */
function isStreamedFirst({ row }: Pick<Source, "row">, probe: Probe): boolean {
  const isEncoded = !probe.playable && conversionOf(probe).video === "encode";
  return row.video_url === "" && isEncoded && !timestampsJump(probe) && !isSingleFrame(probe);
}

/** Audio codecs that the copy's container supports. Originals with other codecs are kept alongside their copies. */
const COPYABLE_AUDIO_CODECS: Record<string, string[]> = {
  mp4: ["aac", "mp3", "opus", "ac3"],
  webm: ["opus", "vorbis"],
};
const containerOf = ({ container }: Probe) => (container === "webm" ? "webm" : "mp4");

/**
 * Returns the audio tracks that are kept in the copy of a playable file. Browsers play the first track; the stream uses
 * all of them.
 */
export function copyableAudioTracks(probe: Probe): AudioTrack[] {
  return probe.audioTracks.filter(({ codec }) =>
    COPYABLE_AUDIO_CODECS[containerOf(probe)]!.includes(codec),
  );
}

/** Whether the copy of a file has all of the file's tracks, so that the original doesn't have to be kept. */
export function copyHasAllTracks(probe: Probe): boolean {
  return probe.playable && copyableAudioTracks(probe).length === probe.audioTracks.length;
}

/**
 * Makes a video playable in browsers. A playable file stays in place; if its index is at the end, it is replaced by a
 * copy with the index first, at the same URL. For any other file, an MP4 is created next to it: a copy of its streams
 * if browsers can play them, otherwise a first rendition in H.264 and AAC.
 */
export async function transcode(source: Source, probe: Probe, task: Task): Promise<Artifact> {
  if (isStreamedFirst(source, probe)) {
    return { ...NO_ARTIFACT, durationSeconds: probe.durationSeconds, streamIsUrgent: true };
  }
  const artifact = await createPlayable(source, probe, task);
  const isKept = conversionOf(probe).video === "copy";
  return {
    ...artifact,
    streamIsUrgent: isKept && NOT_WIDELY_SUPPORTED.includes(probe.video.codec),
  };
}

async function createPlayable(source: Source, probe: Probe, task: Task): Promise<Artifact> {
  const { durationSeconds } = probe;
  if (probe.playable) {
    const container = containerOf(probe);
    // If the file isn't being played yet, it has to be copied, because its metadata couldn't be removed.
    const isPlayed = source.row.video_url !== "";
    const named = isPlayed ? {} : { video_url: source.url };
    const isReady = source.isClean && probe.container !== "mov" && !probe.needsFaststart;
    if (isReady) return { ...NO_ARTIFACT, durationSeconds };
    await remux(source, probe, task, container);
    if (!isPlayed && container === "mp4") return { ...besideSource(source), durationSeconds };
    // The row keeps the previous file as its source; see commit-artifact.server.ts.
    return { ...NO_ARTIFACT, columns: named, replacement: FILE, durationSeconds };
  }
  const isCopied = conversionOf(probe).video === "copy";
  if (!isCopied || !(await isRemuxed(source, probe, task))) {
    const audio = isCopied ? encodedAudioOptions(probe) : audioOptions(probe);
    await withSoftware(activeHardware(), (hardware) =>
      encode(source, probe, task, hardware, audio),
    );
  }
  const artifact = besideSource(source);
  // A file was created earlier and someone may be watching it, so it has to be replaced; see commit-artifact.server.ts.
  if (source.row.video_url !== "" && source.row.video_url === artifact.columns.video_url) {
    if (!(await isFitReplacement(task, probe))) return { ...NO_ARTIFACT, note: NOT_DECODABLE };
    return { ...NO_ARTIFACT, replacement: FILE, durationSeconds };
  }
  return { ...artifact, durationSeconds };
}

/** Returns the artifact for a playable file that is placed next to its source. */
function besideSource(source: Source): Pick<Artifact, "moves" | "columns"> {
  const target = `${source.basePath}.${source.url.endsWith(".mp4") ? "m4v" : "mp4"}`;
  return {
    moves: [{ from: FILE, bucket: "videos", path: target }],
    columns: { video_url: `/media/videos/${target}`, source_url: source.url },
  };
}

/** Muxes a stream's video rendition and its default audio into one file, without decoding. */
export async function copyOfStream(
  source: Source,
  { folder, renditions, audio: audioRenditions, probe }: Ladder,
  task: Task,
): Promise<Pick<Artifact, "moves" | "columns">> {
  // If the source is removed, this file is the only one from which later streams can be encoded.
  const most = settings().keepSources === "never" ? Number.POSITIVE_INFINITY : FIRST_SIDE;
  const isSmall = ({ width, height }: Rendition) => Math.min(width, height) <= most;
  const { name } = renditions.filter(isSmall).at(-1) ?? renditions[0]!;
  const audio = audioRenditions.find(({ bitrate }) => bitrate);
  const files = [name, ...(audio ? [audio.name] : [])].map((each) =>
    path.join(folder, `${each}.mp4`),
  );
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  await runFfmpeg(
    task,
    [
      ...files.flatMap((file) => inputArguments(file)),
      ...files.flatMap((_, index) => ["-map", String(index)]),
      ...["-c", "copy", ...NO_METADATA, "-movflags", "+faststart", FILE],
    ],
    {
      seconds: probe.durationSeconds,
      fileBytes: sizes.reduce((sum, size) => sum + size, 64 * 1024 ** 2),
      cpuSeconds: cpuSecondsFor(probe),
      silent: true,
    },
  );
  await requireWholeCopy(task, files[0]!, await cachedProbe(files[0]!));
  return besideSource(source);
}

/** Returns the arguments that select only the video and audio in an untrusted file, without metadata and chapters. */
export function selectStreams({ video, audio }: Probe, tracks = audio ? [audio] : []): string[] {
  return [
    ...["-map", `0:${video.index}`],
    ...tracks.flatMap(({ index }) => ["-map", `0:${index}`]),
    ...[...NO_METADATA, "-sn", "-dn"],
  ];
}

/**
 * Supplemental enhancement information (ITU-T H.264 §7.4.1), to which AVCHD camcorders write the date, location and
 * model.
 */
const H264_SEI = 6;
function isCamcorderRecording({ container, video }: Probe): boolean {
  return container === "mpegts" && video.codec === "h264";
}

/** Copies the streams into a new file. Audio that the new file's container doesn't support is re-encoded. */
async function remux(
  source: Source,
  probe: Probe,
  task: Task,
  container: "mp4" | "webm",
): Promise<void> {
  const size = await inputSize(source.file);
  const tracks = probe.playable ? copyableAudioTracks(probe) : undefined;
  const audio = tracks
    ? ["-c:a", "copy", ...tracks.flatMap(languageArguments)]
    : audioOptions(probe);
  await runFfmpeg(
    task,
    [
      ...[...inputArguments(source.file), ...selectStreams(probe, tracks), "-c:v", "copy"],
      ...(isCamcorderRecording(probe) ? ["-bsf:v", `filter_units=remove_types=${H264_SEI}`] : []),
      ...audio,
      ...(container === "mp4" ? ["-movflags", "+faststart"] : []),
      ...["-f", container, FILE],
    ],
    {
      seconds: probe.durationSeconds,
      fileBytes: size * 1.5 + 64 * 1024 ** 2,
      cpuSeconds: cpuSecondsFor(probe),
      urgent: true,
    },
  );
  await requireWholeCopy(task, source.file, probe);
}

/** @throws {EncodeError} if the copy is incomplete, so that an incomplete copy never replaces a file. */
async function requireWholeCopy(task: Task, original: string, probe: Probe): Promise<void> {
  const copy = path.join(task.folder, FILE);
  if (await isWholeCopy(task, copy, original, probe)) return;
  throw new EncodeError(
    "The file could not be copied completely: it is damaged or could not be read.",
  );
}

/** Whether the new file may replace one that is being played. */
async function isFitReplacement(task: Task, video: Probe): Promise<boolean> {
  const file = path.join(task.folder, FILE);
  const probe = await cachedProbe(file);
  return isAsLong(probe, video) && (await decodeFrames(task, file, streamsOf(probe))) !== undefined;
}

/** Tries to remux a file. Remuxing fails if a packet is damaged, whereas decoders would skip that packet. */
async function isRemuxed(source: Source, probe: Probe, task: Task): Promise<boolean> {
  try {
    await remux(source, probe, task, "mp4");
    return true;
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    return false;
  }
}

/**
 * Returns the arguments that keep the language of an audio track. Its title isn't kept, because it may contain the
 * author's name.
 */
export function languageArguments({ language }: AudioTrack, index: number): string[] {
  const tag = languageTag(language);
  return tag === UNKNOWN ? [] : [`-metadata:s:a:${index}`, `language=${language}`];
}

function audioOptions(probe: Probe): string[] {
  if (probe.audio && conversionOf(probe).audio === "copy") return ["-c:a", "copy"];
  return encodedAudioOptions(probe);
}

function encodedAudioOptions(probe: Probe): string[] {
  if (!probe.audio) return [];
  return ["-af", audioSyncFilter(probe), ...audioArguments(FIRST_AUDIO_BITRATE)];
}

/**
 * Returns the size and bitrate of the first rendition. If the site removes sources, the stream will be encoded from
 * this rendition, which therefore has to be good enough.
 */
function firstRendition({ video }: Probe): { side: number; bitrate: number } {
  const { keepSources, encoderMaxHeight } = settings();
  if (keepSources !== "never") return { side: FIRST_SIDE, bitrate: FIRST_BITRATE };
  const largest = renditionsFor(video, encoderMaxHeight).at(-1)!;
  return { side: encoderMaxHeight, bitrate: Math.max(largest.maxBitrate, FIRST_BITRATE) };
}

async function encode(
  source: Source,
  probe: Probe,
  task: Task,
  hardware: Hardware,
  audio: readonly string[],
): Promise<void> {
  const { video } = probe;
  const { side, bitrate } = firstRendition(probe);
  const size = fit(video, side);
  const filters = [
    ...videoFilters(video, size, constantFrameRate(video.frameRate)),
    uploadFilter(hardware),
  ];
  await runFfmpeg(
    task,
    [
      ...deviceArguments(hardware),
      ...[
        "-threads",
        String(threads()),
        ...inputArguments(source.file, probe),
        ...selectStreams(probe),
      ],
      ...["-filter_threads", String(threads())],
      ...["-t", String(probe.durationSeconds + 1), "-vf", filters.join(",")],
      ...videoArguments(hardware, { maxBitrate: bitrate, crf: 22 }),
      ...[...audio, "-movflags", "+faststart", FILE],
    ],
    {
      seconds: probe.durationSeconds,
      fileBytes: maxFileBytes(probe.durationSeconds, bitrate + FIRST_AUDIO_BITRATE),
      cpuSeconds: cpuSecondsFor(probe),
    },
  );
}
