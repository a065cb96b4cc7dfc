import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { unlessMissing } from "~/shared/unless-missing";
import { removeTemporary } from "../../files/temporary-files.server";
import { type FragmentedFile, fragmentReader } from "../fragments.server";
import { masterPlaylist, type SoundRendition, type Variant } from "../master-playlist";
import { closedSegments, mediaPlaylist, type Segment, soundSegments } from "../playlist";
import type { Sound } from "../sounds";
import type { Ladder } from "./ladder";
import { GROWING_TARGET_SECONDS, shownAs, writeInOneStep } from "./stream-playlists.server";
import { UNFINISHED } from "./unfinished.server";

/**
 * A stream that is watched while it is made: its playlists grow with its files (RFC 8216 §6.2.1, playlist
 * type EVENT). Every run of the encoder has a folder of its own, so that no address ever leads to
 * segments of two.
 */
export interface EarlyWatch {
  /** The folder in which those of streams stand. */
  parent: string;
  /** Seconds of the film that an earlier attempt has made, and that are being watched. */
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

type File = Omit<FragmentedFile, "fragments"> & { name: string; segments: Segment[] };
type PictureFile = File & ReturnType<typeof shownAs> & { maxBitrate: number };
type SoundFile = File & Sound;

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

  return async (): Promise<{ pictures: PictureFile[]; sounds: SoundFile[] }> => {
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

/** Of a film's beginning nobody knows how busy it becomes: the most that it may take is told. */
function growingMaster(pictures: readonly PictureFile[], sounds: readonly SoundFile[]): string {
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

function hasBegun({ segments }: File): boolean {
  return segments.length >= FIRST_SEGMENTS;
}

function secondsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { duration }) => sum + duration, 0);
}
