import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Source } from "~/media/encode/artifact";
import { decodeFrames, hashPackets, isAsLong, streamsOf } from "~/media/encode/count-frames.server";
import { frameFilters } from "~/media/encode/filters.server";
import { constantFrameRate } from "~/media/encode/renditions.server";
import type { Task } from "~/media/encode/task.server";
import { conversionOf, copyableAudioTracks } from "~/media/encode/transcode.server";
import { withReadableFile } from "~/media/files/local-copies.server";
import { cachedProbe, type Probe, RefusedFileError } from "~/media/probe/probe.server";
import type { AudioTrack } from "~/media/probe/streams";
import { fileVersion } from "~/media/serve/file-version.server";

/** The error thrown if the original is kept. The message gives the reason, for the log and the studio. */
export class KeptOriginalError extends Error {}

/** The verified files, with the version that each had when it was verified. */
export type Verified = ReadonlyMap<string, string>;

export interface Replacement {
  /** The paths of the original and of the playable version. */
  stored: { original: string; playing: string };
  /** The stream's files: its largest rendition and its audio tracks. */
  stream: { rendition: string; audio: readonly string[] } | undefined;
}

/**
 * Decodes the original and everything that replaces it, and compares their frame counts.
 *
 * A copy has the frames of its original and, if browsers can play the original, also its packets. An encoded file has a
 * constant frame rate, so it must have as many frames as the filter for that rate produces from the original. If frames
 * are missing, there is no way to know what they show, so the original is kept. The original is also kept if decoding
 * it causes errors, because another decoder may be able to read more of it.
 *
 * @throws {KeptOriginalError} if the files can't replace the original.
 * @throws {InterruptedError} if decoding one of them was interrupted for another reason.
 */
export async function verifyReplacement(
  source: Source,
  probe: Probe,
  { stored, stream }: Replacement,
  task: Task,
): Promise<Verified> {
  const files = [
    stored.original,
    stored.playing,
    ...(stream ? [stream.rendition, ...stream.audio] : []),
  ];
  const verified = new Map<string, string>();
  for (const file of files) {
    const version = await fileVersion(file);
    if (version === undefined) throw new KeptOriginalError(`${path.basename(file)} is missing.`);
    verified.set(file, version);
  }

  const playing = await probePlaying(source.playedFile);
  if (!isAsLong(playing, probe))
    throw new KeptOriginalError("The playable version is shorter than the original.");
  const { durationSeconds } = probe;
  const decoded = (name: string, frames: number | undefined) => {
    if (frames === undefined)
      throw new KeptOriginalError(`${name} can't be decoded without errors.`);
    return frames;
  };
  const played = decoded(
    "The playable version",
    await decodeFrames(task, source.playedFile, streamsOf(playing)),
  );
  let rendition: number | undefined;
  for (const file of stream ? [stream.rendition, ...stream.audio] : []) {
    const isVideo = file === stream?.rendition;
    const streams = isVideo ? { video: 0, audio: [] } : { audio: [0] };
    const decode = () => decodeFrames(task, file, { durationSeconds, ...streams });
    const frames = decoded(path.basename(file), await withReadableFile(file, decode));
    if (isVideo) rendition = frames;
  }

  const original = (filters?: string[]) =>
    decodeFrames(task, source.file, { ...streamsOf(probe), ...(filters && { filters }) });
  const isCopied = probe.playable || conversionOf(probe).video === "copy";
  const isSame = isCopied && played === decoded("The original", await original());
  if (isSame && probe.playable && !(await hasSamePackets(source, playing, probe, task)))
    throw new KeptOriginalError("The playable version and the original have different data.");
  if (isSame && rendition === undefined) return verified;
  const rate = constantFrameRate(probe.video.frameRate);
  const steady = decoded("The original", await original(frameFilters(probe.video, rate)));
  // Small renditions of videos with a high frame rate contain only every other frame. The playable version may be such
  // a rendition.
  const isHalf = rate.numerator / rate.denominator > 31 && played === Math.ceil(steady / 2);
  if (!isSame && (probe.playable || !(isHalf || played === steady)))
    throw new KeptOriginalError(`The playable version has ${played} frames instead of ${steady}.`);
  if (rendition !== undefined && rendition !== steady)
    throw new KeptOriginalError(`The stream has ${rendition} frames instead of ${steady}.`);
  return verified;
}

/** Returns whether the files haven't changed since they were verified. */
export async function isUnchanged(verified: Verified): Promise<boolean> {
  for (const [file, version] of verified) {
    if ((await fileVersion(file)) !== version) return false;
  }
  return true;
}

async function probePlaying(file: string): Promise<Probe> {
  try {
    const playing = await cachedProbe(file);
    if (playing.playable) return playing;
  } catch (error) {
    if (!(error instanceof RefusedFileError)) throw error;
  }
  throw new KeptOriginalError("The playable version no longer plays.");
}

/** Decoders don't notice all damage, so the packets of unmodified copies are compared as well. */
async function hasSamePackets(
  { file, playedFile }: Source,
  copy: Probe,
  probe: Probe,
  task: Task,
): Promise<boolean> {
  const packetsOf = (from: string, { video, durationSeconds }: Probe, audioTracks: AudioTrack[]) =>
    hashPackets(task, from, durationSeconds, [
      video.index,
      ...audioTracks.map(({ index }) => index),
    ]);
  const copied = await packetsOf(playedFile, copy, copy.audioTracks);
  return isDeepStrictEqual(copied, await packetsOf(file, probe, copyableAudioTracks(probe)));
}
