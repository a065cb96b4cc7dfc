import { writeFile } from "node:fs/promises";
import path from "node:path";
import { bucketFile, type MediaName, parseMediaUrl } from "~/media/bucket.server";
import {
  type Artifact,
  cpuSecondsFor,
  maxFileBytes,
  NO_ARTIFACT,
  type Source,
} from "~/media/encode/artifact";
import {
  type CodecEncoder,
  chooseEncoder,
  deviceArguments,
  extraCodecArguments,
  extraCodecs,
  QUALITY,
  threads,
  uploadFilter,
} from "~/media/encode/encoders.server";
import { type Rate, videoFilters } from "~/media/encode/filters.server";
import { readFragments } from "~/media/encode/fragments.server";
import { FRAGMENTS } from "~/media/encode/ladder.server";
import {
  bandwidth,
  keyframePlaylist,
  mediaPlaylist,
  type Segment,
  segmentsOf,
} from "~/media/encode/playlists";
import {
  constantFrameRate,
  keyframeInterval,
  type Rendition,
  streamRenditions,
} from "~/media/encode/renditions.server";
import { EncodeError, NO_METADATA, runFfmpeg, type Task } from "~/media/encode/task.server";
import { readText } from "~/media/files/local-copies.server";
import { removeUnreferenced } from "~/media/files/removals.server";
import { isUnfinished } from "~/media/files/temporary-files.server";
import { namesIn } from "~/media/media-files.server";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import type { Probe } from "~/media/probe/probe.server";
import { EXTRA_CODECS } from "~/shared/streams/codecs";
import { unlessMissing } from "~/shared/unless-missing";

/**
 * The factor by which the CPU limit is multiplied. SVT-AV1 takes three to four times as much CPU time as x264's
 * `veryfast`.
 */
const CPU_TIME_FACTOR = 6;

/** An existing stream. */
interface Stream {
  /** The path of the folder on disk. */
  folder: string;
  /** The folder's path in its bucket. */
  path: string;
  /** The master playlist's content. */
  master: string;
}

/**
 * Encodes a stream's video in additional codecs. This adds files and playlists next to the H.264 ones, with the same
 * audio, and a new master playlist that contains both. Players that have already loaded the stream continue to use the
 * previous master playlist.
 *
 * @param hlsUrl the stream; null if the video has none.
 * @throws {HardwareSuspendedError} before encoding, if a codec needs hardware whose use is suspended.
 */
export async function addCodecs(
  source: Source,
  probe: Probe,
  task: Task,
  generation: string,
  hlsUrl: string | null,
): Promise<Artifact> {
  const stream = hlsUrl && (await openStream(hlsUrl));
  if (!stream) return NO_ARTIFACT;
  await removeLeftovers(stream);
  const missing = extraCodecs().filter(
    (codec) => !stream.master.includes(`CODECS="${EXTRA_CODECS[codec].sampleEntry}.`),
  );
  const encoders = missing.map((codec) => chooseEncoder(codec));
  const renditions = renditionsOf(probe, stream);
  const wanted = encoders.flatMap((encoder) =>
    renditions.map((rendition) => ({ encoder, rendition })),
  );
  if (wanted.length === 0) return NO_ARTIFACT;
  const rate = constantFrameRate(probe.video.frameRate);
  const added: AddedRendition[] = [];
  for (const [index, { encoder, rendition }] of wanted.entries()) {
    const file = `${encoder.codec}-${rendition.name}-${generation}.mp4`;
    const run = { from: index / wanted.length, to: (index + 1) / wanted.length };
    await runFfmpeg(
      task,
      codecArguments({ file: source.file, probe, rendition, rate }, encoder, file),
      {
        ...run,
        seconds: probe.durationSeconds,
        fileBytes: maxFileBytes(probe.durationSeconds, rendition.maxBitrate),
        cpuSeconds: cpuSecondsFor(probe) * CPU_TIME_FACTOR,
      },
    );
    added.push(await addedRendition(task, stream, rendition, file));
  }
  const name = `master-${generation}.m3u8`;
  await writeFile(path.join(task.folder, name), addToMaster(stream.master, added));
  const names = added.flatMap(({ file, playlist, keyframePlaylist }) => [
    ...[file, playlist, keyframePlaylist],
  ]);
  return {
    moves: [...names, name].map((each) => moveInto(stream, each)),
    ofStream: hlsUrl,
    columns: { hls_url: `/media/videos/${stream.path}/${name}` },
  };
}

function moveInto(stream: Stream, name: string): Artifact["moves"][number] {
  return { from: name, bucket: "videos", path: `${stream.path}/${name}` };
}

async function openStream(hlsUrl: string): Promise<Stream | undefined> {
  const name = parseMediaUrl(hlsUrl);
  const file = name && bucketFile(name.bucket, name.path);
  if (!file || name.bucket !== "videos" || isUnfinished(file)) return undefined;
  const master = await readText(file).catch(unlessMissing);
  if (master === undefined) return undefined;
  return { folder: path.dirname(file), path: path.posix.dirname(name.path), master };
}

/** Removes the files that a killed attempt has left in the stream's folder. */
async function removeLeftovers({ path: folder, master }: Stream): Promise<void> {
  const unreferenced: MediaName[] = [];
  for (const name of await namesIn({ bucket: "videos", path: folder })) {
    const [, playlist] = ADDED_FILE.exec(name) ?? [];
    if (!playlist || master.includes(`\n${playlist}.m3u8\n`)) continue;
    unreferenced.push({ bucket: "videos", path: `${folder}/${name}` });
  }
  await removeUnreferenced(unreferenced, "discarded");
}

const ADDED_FILE = /^((?:av1|hevc)-\w+-\w+?)(?:-keyframes)?\.(?:mp4|m3u8)$/;

/** Returns the stream's H.264 renditions, except the one for slow connections. */
function renditionsOf(probe: Probe, { master }: Stream): Rendition[] {
  const names = renditionNames(master);
  return streamRenditions(probe).filter(
    (one) => names.includes(one.name) && !one.forSlowConnections,
  );
}

interface EncodeInput {
  file: string;
  probe: Probe;
  rendition: Rendition;
  rate: Rate;
}

/** Renditions are encoded one at a time, because an AV1 encoder takes as much memory as a whole H.264 ladder. */
function codecArguments(
  { file, probe, rendition, rate }: EncodeInput,
  encoder: CodecEncoder,
  output: string,
): string[] {
  const { hardware } = encoder;
  const filters = [
    ...videoFilters(probe.video, rendition, rate),
    ...(rendition.hasHalfFrameRate ? ["framestep=2"] : []),
    uploadFilter(hardware),
  ];
  return [
    ...deviceArguments(hardware),
    ...["-threads", String(threads()), ...inputArguments(file, probe)],
    ...["-map", `0:${probe.video.index}`, "-vf", filters.join(",")],
    ...extraCodecArguments(encoder, {
      ...{ maxBitrate: rendition.maxBitrate, crf: QUALITY },
      keyframeInterval: keyframeInterval(rendition, rate),
    }),
    ...["-t", String(probe.durationSeconds + 1), ...NO_METADATA],
    ...["-movflags", `+frag_keyframe${FRAGMENTS}`, "-f", "mp4", output],
  ];
}

/** Writes the playlists for an encoded file. Its segments must end at the same positions as the H.264 segments. */
async function addedRendition(
  task: Task,
  stream: Stream,
  rendition: Rendition,
  file: string,
): Promise<AddedRendition> {
  const h264Playlist = await readText(path.join(stream.folder, `${rendition.name}.m3u8`));
  const h264Segments = readSegments(h264Playlist);
  const { fragments, headerBytes, codec } = await readFragments(path.join(task.folder, file));
  const segments = segmentsOf(fragments);
  const keyframes = fragments.map(({ keyframeBytes: bytes, ...rest }) => ({ ...rest, bytes }));
  const isAligned = segments.every(
    ({ duration }, index) => Math.abs(duration - (h264Segments[index]?.duration ?? 0)) < 0.1,
  );
  if (!isAligned || segments.length !== h264Segments.length) {
    throw new EncodeError("The segments aren't aligned with those of the stream.");
  }
  const name = file.replace(/\.mp4$/, "");
  const names = { playlist: `${name}.m3u8`, keyframePlaylist: `${name}-keyframes.m3u8` };
  const write = (to: string, text: string) => writeFile(path.join(task.folder, to), text);
  const target = readTarget(h264Playlist);
  await write(names.playlist, mediaPlaylist(file, headerBytes, segments, target));
  await write(names.keyframePlaylist, keyframePlaylist(file, headerBytes, keyframes));
  return { name: rendition.name, h264Segments, file, ...names, codec, segments, keyframes };
}

/**
 * A rendition that is added to an existing stream, with the same audio. Its lines in the master playlist are copied
 * from those of the same rendition in H.264.
 */
export interface AddedRendition {
  /** The name of the same rendition in H.264, such as `720p`. */
  name: string;
  /** The segments of the H.264 rendition. */
  h264Segments: readonly Segment[];
  file: string;
  /** The names of the rendition's playlists. */
  playlist: string;
  keyframePlaylist: string;
  codec: string;
  segments: readonly Segment[];
  keyframes: readonly Segment[];
}

const SEGMENT = /^#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@(\d+)$/gm;

/** Returns the segments of a media playlist that this software generated (RFC 8216 §4.3.2). */
export function readSegments(playlist: string): Segment[] {
  return [...playlist.matchAll(SEGMENT)].map(([, duration, bytes, offset]) => ({
    ...{ duration: Number(duration), bytes: Number(bytes), offset: Number(offset) },
  }));
}

/** Returns the target duration in seconds, which is the same for all playlists of a stream (§4.3.3.1). */
export function readTarget(playlist: string): number {
  return Number(/^#EXT-X-TARGETDURATION:(\d+)$/m.exec(playlist)?.[1] ?? Number.NaN);
}

/** Returns the names of the H.264 renditions in a master playlist. */
export function renditionNames(master: string): string[] {
  const names = [...master.matchAll(/^#EXT-X-STREAM-INF:.*CODECS="avc1\..*\n(\w+)\.m3u8$/gm)];
  return [...new Set(names.map(([, name]) => name!))];
}

/**
 * Adds renditions to a master playlist, after the H.264 renditions, because native players start with the first
 * rendition.
 */
export function addToMaster(master: string, added: readonly AddedRendition[]): string {
  const tags = added.flatMap((one) => variantTags(master, one));
  const keyframes = added.flatMap((one) => keyframesTag(master, one));
  const lines = master.split("\n");
  const last = lines.findLastIndex((line) => /^#EXT-X-STREAM-INF:.*RESOLUTION=/.test(line)) + 2;
  return [...lines.slice(0, last), ...tags, ...lines.slice(last, -1), ...keyframes, ""].join("\n");
}

/**
 * Returns the variants for an added rendition: one for each audio group with which the same rendition is combined in
 * H.264 (§4.3.4.2).
 */
function variantTags(master: string, one: AddedRendition): string[] {
  const own = bandwidth(one.segments);
  const before = bandwidth(one.h264Segments);
  const pattern = new RegExp(`^(#EXT-X-STREAM-INF:.*)\\n${one.name}\\.m3u8$`, "gm");
  return [...master.matchAll(pattern)].flatMap(([, tag]) => [
    // The rest of the bandwidth is for the audio.
    tag!
      .replace(/\bBANDWIDTH=(\d+)/, (_, all) => `BANDWIDTH=${Number(all) - before.peak + own.peak}`)
      .replace(
        /\bAVERAGE-BANDWIDTH=(\d+)/,
        (_, all) => `AVERAGE-BANDWIDTH=${Number(all) - before.average + own.average}`,
      )
      .replace(/\bavc1\.\w+/, one.codec),
    one.playlist,
  ]);
}

/** Returns the rendition's I-frame variant, if the stream has one in H.264 (§4.3.4.3). */
function keyframesTag(master: string, one: AddedRendition): string[] {
  const { peak, average } = bandwidth(one.keyframes);
  const pattern = new RegExp(
    `^#EXT-X-I-FRAME-STREAM-INF:.*URI="${one.name}-keyframes\\.m3u8"$`,
    "m",
  );
  const tag = pattern.exec(master)?.[0];
  if (!tag) return [];
  return [
    tag
      .replace(/\bBANDWIDTH=\d+/, `BANDWIDTH=${peak}`)
      .replace(/\bAVERAGE-BANDWIDTH=\d+/, `AVERAGE-BANDWIDTH=${average}`)
      .replace(/\bavc1\.\w+/, one.codec)
      .replace(`"${one.name}-keyframes.m3u8"`, `"${one.keyframePlaylist}"`),
  ];
}
