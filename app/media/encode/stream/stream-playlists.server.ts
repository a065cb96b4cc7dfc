import { rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { unlessMissing } from "~/shared/unless-missing";
import { removeTemporary } from "../../files/temporary-files.server";
import { readFragments } from "../fragments.server";
import { masterPlaylist, type SoundRendition, type Variant } from "../master-playlist";
import {
  keyframePlaylist,
  mediaPlaylist,
  type Segment,
  segmentsOf,
  soundSegments,
  targetDuration,
} from "../playlist";
import { type Rendition, rateOf } from "../renditions";
import { EncodeError } from "../task.server";
import type { Ladder } from "./ladder";

/** Sound that is copied and leaves out more of the film than this is not offered. */
const MOST_MISSING_SECONDS = 0.1;
/**
 * The target duration of a stream that is watched while it is made, which may not change (RFC 8216
 * §6.2.1): two intervals of keyframes, and a fragment of sound more.
 */
export const GROWING_TARGET_SECONDS = 5;

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
export function shownAs(rendition: Rendition, { rate }: Pick<Ladder, "rate">) {
  const { width, height, forPoorLines } = rendition;
  const { numerator, denominator } = rateOf(rendition, rate);
  return { width, height, forPoorLines, frameRate: numerator / denominator };
}

/** So that whoever reads it meanwhile has the one before or this one. */
export async function writeInOneStep(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text);
  await rename(`${file}.part`, file);
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
