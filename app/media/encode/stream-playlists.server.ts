import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { unlessMissing } from "~/shared/unless-missing";
import { removeTemporary, UNFINISHED } from "../files/temporary-files.server";
import type { Probe } from "../probe/probe.server";
import type { AudioRendition } from "./audio-renditions";
import type { Rate } from "./filters.server";
import { type FragmentedFile, fragmentReader, readFragments } from "./fragments.server";
import {
  audioSegments,
  closedSegments,
  type EncodedAudio,
  keyframePlaylist,
  masterPlaylist,
  mediaPlaylist,
  type Segment,
  segmentsOf,
  targetDuration,
  type Variant,
} from "./playlists";
import { type Rendition, rateOf } from "./renditions.server";
import { EncodeError } from "./task.server";

/** A stream's video and audio renditions. */
export interface Ladder {
  file: string;
  probe: Probe;
  /** Smallest first. */
  renditions: readonly Rendition[];
  audio: readonly AudioRendition[];
  rate: Rate;
  /**
   * The stream's folder: relative to the task's folder, or absolute if the stream can be watched while it is being
   * encoded.
   */
  folder: string;
  isWatched?: boolean;
  /** x264's preset. */
  preset: string;
}

/** Copied audio is discarded if it is shorter than the video by more than this. */
const MAX_MISSING_SECONDS = 0.1;
/**
 * The target duration for a stream that can be watched while it is being encoded: two keyframe intervals plus one audio
 * fragment. It must not change during encoding (RFC 8216 §6.2.1).
 */
const GROWING_TARGET_SECONDS = 5;

interface EncodedVideo {
  rendition: Rendition;
  headerBytes: number;
  codec: string;
  segments: Segment[];
  keyframes: Segment[];
}

/** Writes the playlists for a stream whose files are complete. */
export async function writePlaylists(folder: string, ladder: Ladder): Promise<void> {
  const video: EncodedVideo[] = [];
  for (const rendition of ladder.renditions) {
    const file = path.join(folder, `${rendition.name}.mp4`);
    const { fragments, ...found } = await readFragments(file);
    if (fragments.length === 0) throw new EncodeError("No segments could be created.");
    const keyframes = fragments.map(({ keyframeBytes: bytes, ...rest }) => ({ ...rest, bytes }));
    video.push({ rendition, ...found, segments: segmentsOf(fragments), keyframes });
  }
  const [{ segments }] = video as [EncodedVideo];
  const audio = await readAudio(folder, ladder, segments);
  const target = Math.max(
    ladder.isWatched ? GROWING_TARGET_SECONDS : 1,
    ...[...video, ...audio].map(({ segments }) => targetDuration(segments)),
  );
  const write = (name: string, text: string) => writeAtomically(path.join(folder, name), text);
  const playlistOf = (file: string, headerBytes: number, segments: readonly Segment[]) =>
    mediaPlaylist(
      ...([file, headerBytes, segments, target, undefined] as const),
      ladder.isWatched ? "grown" : "whole",
    );
  for (const { file, headerBytes, playlist, segments } of audio) {
    await write(playlist, playlistOf(file, headerBytes, segments));
  }
  const variants: Variant[] = [];
  for (const { rendition, headerBytes, codec, segments, keyframes } of video) {
    const file = `${rendition.name}.mp4`;
    const names = {
      playlist: `${rendition.name}.m3u8`,
      keyframePlaylist: `${rendition.name}-keyframes.m3u8`,
    };
    await write(names.playlist, playlistOf(file, headerBytes, segments));
    await write(names.keyframePlaylist, keyframePlaylist(file, headerBytes, keyframes));
    variants.push({
      ...names,
      ...playlistAttributes(rendition, ladder),
      codec,
      segments,
      keyframes,
    });
  }
  await write("master.m3u8", masterPlaylist(variants, audio));
}

/** Returns the attributes of a rendition in the master playlist that don't depend on the rendition's content. */
function playlistAttributes(rendition: Rendition, { rate }: Pick<Ladder, "rate">) {
  const { width, height, forSlowConnections } = rendition;
  const { numerator, denominator } = rateOf(rendition, rate);
  return { width, height, forSlowConnections, frameRate: numerator / denominator };
}

/** Writes a file atomically, so that concurrent readers get either the old or the new content. */
async function writeAtomically(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text);
  await rename(`${file}.part`, file);
}

/** Reads the encoded audio renditions. Discards copied renditions that are shorter than the video. */
async function readAudio(
  folder: string,
  { audio, probe }: Ladder,
  video: readonly Segment[],
): Promise<(EncodedAudio & { file: string; headerBytes: number })[]> {
  const found = [];
  for (const rendition of audio) {
    const file = `${rendition.name}.mp4`;
    const encoded = await readFragments(path.join(folder, file)).catch(unlessMissing);
    if (!encoded) continue;
    const { fragments, headerBytes, codec } = encoded;
    const seconds = fragments.reduce((sum, { duration }) => sum + duration, 0);
    const isWhole = rendition.bitrate || seconds > probe.durationSeconds - MAX_MISSING_SECONDS;
    if (!isWhole || fragments.length === 0) {
      await removeTemporary(path.join(folder, file));
      continue;
    }
    const segments = audioSegments(fragments, video);
    found.push({
      ...rendition,
      file,
      headerBytes,
      codec,
      segments,
      playlist: `${rendition.name}.m3u8`,
    });
  }
  const isOffered = new Set(found.filter((one) => one.isDefault).map(({ encoding }) => encoding));
  for (const { file, encoding } of found) {
    if (!isOffered.has(encoding)) await removeTemporary(path.join(folder, file));
  }
  return found.filter(({ encoding }) => isOffered.has(encoding));
}

/**
 * Makes a stream watchable while it is being encoded: its playlists grow along with its files (RFC 8216 §6.2.1,
 * playlist type EVENT). Each encoder run has a separate folder, so that no playlist or file ever mixes segments from
 * two runs.
 */
export interface EarlyWatch {
  /** The parent folder of the stream folders. */
  parent: string;
  /** How many seconds of the video can already be watched because a previous attempt encoded them. */
  watchableSeconds: number;
  /** Called once per folder, as soon as the folder contains more than `watchableSeconds` seconds of video. */
  publish(folderName: string): Promise<void>;
}

/** How many segments each file must have before the stream is published. */
const FIRST_SEGMENTS = 2;
/** How often the files are checked for new fragments. */
const CHECK_INTERVAL_MS = 1_000;

/** Creates the folder for an encoder run and marks it as unfinished. */
export async function openUnfinished(watch: EarlyWatch, name: string): Promise<string> {
  const folder = path.join(watch.parent, name);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, UNFINISHED), "");
  return folder;
}

/** Marks a stream's files as complete. */
export async function markFinished(folder: string): Promise<void> {
  await removeTemporary(path.join(folder, UNFINISHED));
}

/** Extends the playlists until the encoder exits. The caller then rewrites them as complete playlists. */
export async function growPlaylists(
  ladder: Ladder,
  watch: EarlyWatch,
  encoder: Promise<unknown>,
): Promise<void> {
  const stopped = new AbortController();
  let isPublished = false;
  const publish = async (name: string) => {
    await watch.publish(name);
    isPublished = true;
  };
  const ends = await Promise.allSettled([
    encoder.finally(() => stopped.abort()),
    follow(ladder, { ...watch, publish }, stopped.signal),
  ]);
  const failed = ends.find((end) => end.status === "rejected");
  if (!failed) return;
  // An unpublished folder can be removed. A published folder is kept until a longer stream replaces it.
  if (!isPublished) await removeTemporary(ladder.folder);
  throw failed.reason;
}

async function follow(ladder: Ladder, watch: EarlyWatch, stopped: AbortSignal): Promise<void> {
  const readSegments = createSegmentReader(ladder);
  const write = (name: string, text: string) =>
    writeAtomically(path.join(ladder.folder, name), text);
  const written = new Map<string, number>();
  let offered: Set<string> | undefined;
  while (await waitForNextCheck(stopped)) {
    const { video, audio } = await readSegments();
    const files = [...video, ...audio];
    const isFirst = !offered;
    if (isFirst) {
      const needed = [...video, ...audio.filter(({ isDefault }) => isDefault)];
      const seconds = Math.min(...video.map(({ segments }) => durationOf(segments)));
      if (!needed.every(hasBegun) || seconds <= watch.watchableSeconds) continue;
    }
    offered ??= new Set(files.filter(hasBegun).map(({ name }) => name));
    for (const { name, headerBytes, segments } of files) {
      if (!offered.has(name) || segments.length <= (written.get(name) ?? 0)) continue;
      const target = GROWING_TARGET_SECONDS;
      await write(
        `${name}.m3u8`,
        mediaPlaylist(`${name}.mp4`, headerBytes, segments, target, undefined, "growing"),
      );
      written.set(name, segments.length);
    }
    if (!isFirst) continue;
    await write("master.m3u8", growingMaster(video, audio.filter(hasBegun)));
    await watch.publish(path.basename(ladder.folder));
  }
}

/** Waits for the next check. Returns false once the encoder has exited. */
function waitForNextCheck(stopped: AbortSignal): Promise<boolean> {
  return setTimeout(CHECK_INTERVAL_MS, true, { signal: stopped, ref: false }).catch(() => false);
}

type GrowingFile = Omit<FragmentedFile, "fragments"> & { name: string; segments: Segment[] };
type GrowingVideo = GrowingFile & ReturnType<typeof playlistAttributes> & { maxBitrate: number };
type GrowingAudio = GrowingFile & AudioRendition;

/** The reader's result for a file that the encoder hasn't created yet. */
const NOT_YET_OPENED: FragmentedFile = { headerBytes: 0, fragments: [], codec: "" };

/** Returns a function that reads the current segments of all files, which the encoder is writing in parallel. */
function createSegmentReader(ladder: Ladder) {
  const { renditions, folder, probe } = ladder;
  const readerOf = ({ name }: { name: string }) => {
    const read = fragmentReader(path.join(folder, `${name}.mp4`));
    return async () => (await read().catch(unlessMissing)) ?? NOT_YET_OPENED;
  };
  const encoded = ladder.audio.filter(({ bitrate }) => bitrate);
  const readVideoFiles = renditions.map(readerOf);
  const readAudioFiles = encoded.map(readerOf);

  return async (): Promise<{ video: GrowingVideo[]; audio: GrowingAudio[] }> => {
    const foundVideo = await Promise.all(readVideoFiles.map((read) => read()));
    const foundAudio = await Promise.all(readAudioFiles.map((read) => read()));
    const video = foundVideo.map(({ fragments, ...file }, at) => ({
      ...file,
      ...playlistAttributes(renditions[at]!, ladder),
      name: renditions[at]!.name,
      maxBitrate: renditions[at]!.maxBitrate,
      segments: closedSegments(fragments, probe.durationSeconds),
    }));
    const audio = foundAudio.map(({ fragments, ...file }, at) => ({
      ...{ ...encoded[at]!, ...file },
      segments: audioSegments(fragments, video[0]!.segments, true),
    }));
    return { video, audio };
  };
}

/** Returns a master playlist with maximum bitrates, because the bitrates for the rest of the video aren't known yet. */
function growingMaster(video: readonly GrowingVideo[], audio: readonly GrowingAudio[]): string {
  const variants = video.map(({ name, maxBitrate, segments, ...shown }): Variant => {
    const duration = GROWING_TARGET_SECONDS;
    const busiest = { offset: 0, bytes: (maxBitrate * duration) / 8, duration };
    return { ...shown, playlist: `${name}.m3u8`, segments: [...segments, busiest], keyframes: [] };
  });
  const encodedAudio = audio.map((each): EncodedAudio => {
    return { ...each, playlist: `${each.name}.m3u8` };
  });
  return masterPlaylist(variants, encodedAudio);
}

function hasBegun({ segments }: GrowingFile): boolean {
  return segments.length >= FIRST_SEGMENTS;
}

function durationOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { duration }) => sum + duration, 0);
}
