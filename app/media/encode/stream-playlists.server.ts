import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { unlessMissing } from "~/shared/unless-missing";
import { removeTemporary, UNFINISHED } from "../files/temporary-files.server";
import type { Probe } from "../probe/probe.server";
import type { Rate } from "./filters.server";
import { type FragmentedFile, fragmentReader, readFragments } from "./fragments.server";
import {
  closedSegments,
  keyframePlaylist,
  masterPlaylist,
  mediaPlaylist,
  type Segment,
  type SoundRendition,
  segmentsOf,
  soundSegments,
  targetDuration,
  type Variant,
} from "./playlists";
import { type Rendition, rateOf } from "./renditions.server";
import type { Sound } from "./sounds";
import { EncodeError } from "./task.server";

/** What a stream is made of: every quality and every sound of a video. */
export interface Ladder {
  file: string;
  probe: Probe;
  /** Smallest first. */
  renditions: readonly Rendition[];
  sounds: readonly Sound[];
  rate: Rate;
  /** In the folder of the task; or an absolute path, of a stream that is watched while it is made. */
  folder: string;
  isWatched?: boolean;
  /** Of x264. */
  preset: string;
}

/** Sound that is copied and leaves out more of the video than this is not offered. */
const MAX_MISSING_SECONDS = 0.1;
/**
 * The target duration of a stream that is watched while it is made, which may not change (RFC 8216
 * §6.2.1): two intervals of keyframes, and a fragment of sound more.
 */
const GROWING_TARGET_SECONDS = 5;

interface PictureFile {
  rendition: Rendition;
  headerBytes: number;
  codec: string;
  segments: Segment[];
  keyframes: Segment[];
}

/** Writes the playlists of a stream whose files are complete. */
export async function writePlaylists(folder: string, ladder: Ladder): Promise<void> {
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
    ladder.isWatched ? GROWING_TARGET_SECONDS : 1,
    ...[...pictures, ...sounds].map(({ segments }) => targetDuration(segments)),
  );
  const write = (name: string, text: string) => writeInOneStep(path.join(folder, name), text);
  const playlistOf = (file: string, headerBytes: number, segments: readonly Segment[]) =>
    mediaPlaylist(
      ...([file, headerBytes, segments, target, undefined] as const),
      ladder.isWatched ? "grown" : "whole",
    );
  for (const { file, headerBytes, playlist, segments } of sounds) {
    await write(playlist, playlistOf(file, headerBytes, segments));
  }
  const variants: Variant[] = [];
  for (const { rendition, headerBytes, codec, segments, keyframes } of pictures) {
    const file = `${rendition.name}.mp4`;
    const names = {
      playlist: `${rendition.name}.m3u8`,
      keyframePlaylist: `${rendition.name}-keyframes.m3u8`,
    };
    await write(names.playlist, playlistOf(file, headerBytes, segments));
    await write(names.keyframePlaylist, keyframePlaylist(file, headerBytes, keyframes));
    variants.push({ ...names, ...shownAs(rendition, ladder), codec, segments, keyframes });
  }
  await write("master.m3u8", masterPlaylist(variants, sounds));
}

/** What the master playlist says of a rendition, whatever is in it. */
function shownAs(rendition: Rendition, { rate }: Pick<Ladder, "rate">) {
  const { width, height, forSlowConnections } = rendition;
  const { numerator, denominator } = rateOf(rendition, rate);
  return { width, height, forSlowConnections, frameRate: numerator / denominator };
}

/** So that whoever reads it meanwhile has the one before or this one. */
async function writeInOneStep(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text);
  await rename(`${file}.part`, file);
}

/** The sounds that were made, without those that were copied and do not last as long as the video. */
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
    const isWhole = sound.bitrate || lasts > probe.durationSeconds - MAX_MISSING_SECONDS;
    if (!isWhole || fragments.length === 0) {
      await removeTemporary(path.join(folder, file));
      continue;
    }
    const segments = soundSegments(fragments, pictures);
    found.push({ ...sound, file, headerBytes, codec, segments, playlist: `${sound.name}.m3u8` });
  }
  const isOffered = new Set(found.filter((one) => one.isDefault).map(({ encoding }) => encoding));
  for (const { file, encoding } of found) {
    if (!isOffered.has(encoding)) await removeTemporary(path.join(folder, file));
  }
  return found.filter(({ encoding }) => isOffered.has(encoding));
}

/**
 * A stream that is watched while it is made: its playlists grow with its files (RFC 8216 §6.2.1, playlist
 * type EVENT). Every run of the encoder has a folder of its own, so that no address ever leads to
 * segments of two.
 */
export interface EarlyWatch {
  /** The folder in which those of streams stand. */
  parent: string;
  /** Seconds of the video that an earlier attempt has made, and that are being watched. */
  watchableSeconds: number;
  /** Called once for a folder, as soon as more than that can be watched in it. */
  publish(folderName: string): Promise<void>;
}

/** So many segments of each file are there before anybody is led to it. */
const FIRST_SEGMENTS = 2;
/** How often the files are looked at for what has been added. */
const LOOK_EVERY_MS = 1_000;

/** The folder of a run of the encoder. */
export async function openUnfinished(watch: EarlyWatch, name: string): Promise<string> {
  const folder = path.join(watch.parent, name);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, UNFINISHED), "");
  return folder;
}

/** From now on its files are whole, and are told of as such. */
export async function markFinished(folder: string): Promise<void> {
  await removeTemporary(path.join(folder, UNFINISHED));
}

/** Lets the playlists grow until the encoder has ended; then they are written anew as a whole. */
export async function growPlaylists(
  ladder: Ladder,
  watch: EarlyWatch,
  encoder: Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  let isPublished = false;
  const publish = async (name: string) => {
    await watch.publish(name);
    isPublished = true;
  };
  const ends = await Promise.allSettled([
    encoder.finally(() => over.abort()),
    follow(ladder, { ...watch, publish }, over.signal),
  ]);
  const failed = ends.find((end) => end.status === "rejected");
  if (!failed) return;
  // Nobody knows of it. What is watched stays until something longer is there.
  if (!isPublished) await removeTemporary(ladder.folder);
  throw failed.reason;
}

async function follow(ladder: Ladder, watch: EarlyWatch, over: AbortSignal): Promise<void> {
  const look = lookAt(ladder);
  const write = (name: string, text: string) =>
    writeInOneStep(path.join(ladder.folder, name), text);
  const written = new Map<string, number>();
  let offered: Set<string> | undefined;
  while (await waited(over)) {
    const { pictures, sounds } = await look();
    const files = [...pictures, ...sounds];
    const isFirst = !offered;
    if (isFirst) {
      const needed = [...pictures, ...sounds.filter(({ isDefault }) => isDefault)];
      const seconds = Math.min(...pictures.map(({ segments }) => secondsOf(segments)));
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
    await write("master.m3u8", growingMaster(pictures, sounds.filter(hasBegun)));
    await watch.publish(path.basename(ladder.folder));
  }
}

/** False when there is nothing to wait for any more. */
function waited(over: AbortSignal): Promise<boolean> {
  return setTimeout(LOOK_EVERY_MS, true, { signal: over, ref: false }).catch(() => false);
}

type GrowingFile = Omit<FragmentedFile, "fragments"> & { name: string; segments: Segment[] };
type GrowingPictures = GrowingFile & ReturnType<typeof shownAs> & { maxBitrate: number };
type GrowingSound = GrowingFile & Sound;

/** A file that the encoder has not opened yet. */
const NOT_YET_OPENED: FragmentedFile = { headerBytes: 0, fragments: [], codec: "" };

/** Looks at what the encoder has made of each file, which all go on together. */
function lookAt(ladder: Ladder) {
  const { renditions, folder, probe } = ladder;
  const readerOf = ({ name }: { name: string }) => {
    const read = fragmentReader(path.join(folder, `${name}.mp4`));
    return async () => (await read().catch(unlessMissing)) ?? NOT_YET_OPENED;
  };
  const encoded = ladder.sounds.filter(({ bitrate }) => bitrate);
  const readPictures = renditions.map(readerOf);
  const readSounds = encoded.map(readerOf);

  return async (): Promise<{ pictures: GrowingPictures[]; sounds: GrowingSound[] }> => {
    const found = await Promise.all(readPictures.map((read) => read()));
    const heard = await Promise.all(readSounds.map((read) => read()));
    const pictures = found.map(({ fragments, ...file }, at) => ({
      ...file,
      ...shownAs(renditions[at]!, ladder),
      name: renditions[at]!.name,
      maxBitrate: renditions[at]!.maxBitrate,
      segments: closedSegments(fragments, probe.durationSeconds),
    }));
    const sounds = heard.map(({ fragments, ...file }, at) => ({
      ...{ ...encoded[at]!, ...file },
      segments: soundSegments(fragments, pictures[0]!.segments, true),
    }));
    return { pictures, sounds };
  };
}

/** Of a video's beginning nobody knows how busy it becomes: the most that it may take is told. */
function growingMaster(
  pictures: readonly GrowingPictures[],
  sounds: readonly GrowingSound[],
): string {
  const variants = pictures.map(({ name, maxBitrate, segments, ...shown }): Variant => {
    const duration = GROWING_TARGET_SECONDS;
    const busiest = { offset: 0, bytes: (maxBitrate * duration) / 8, duration };
    return { ...shown, playlist: `${name}.m3u8`, segments: [...segments, busiest], keyframes: [] };
  });
  const heard = sounds.map((sound): SoundRendition => {
    return { ...sound, playlist: `${sound.name}.m3u8` };
  });
  return masterPlaylist(variants, heard);
}

function hasBegun({ segments }: GrowingFile): boolean {
  return segments.length >= FIRST_SEGMENTS;
}

function secondsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { duration }) => sum + duration, 0);
}
