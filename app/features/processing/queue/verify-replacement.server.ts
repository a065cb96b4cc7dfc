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

/** The original stays; `message` says why, as a sentence for the log. */
export class KeptOriginalError extends Error {}

/** Files that were verified, and the version that each had then. */
export type Verified = ReadonlyMap<string, string>;

export interface Replacement {
  /** The paths of the original and of the file that is played. */
  stored: { original: string; playing: string };
  /** Of the stream: its largest rendition first, then its audio. */
  stream: { rendition: string; audio: readonly string[] } | undefined;
}

/**
 * Decodes the original and everything that replaces it, and compares the number of their frames.
 *
 * A copy has the frames of its original, and if browsers play the original, also its packets. An encoded
 * file has a steady frame rate, so it has the frames that the filter for that gives for the original. If
 * neither is so, nobody knows what the missing frames show, and the original stays. It also stays if
 * it has errors itself, since another decoder may read more of it.
 *
 * @throws {KeptOriginalError} when the files can't replace the original.
 * @throws {InterruptedError} when one of them could not be decoded to its end for another reason.
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
  if (!isAsLong(playing, probe)) throw new KeptOriginalError("The file that is played is shorter.");
  const { durationSeconds } = probe;
  const decoded = (name: string, frames: number | undefined) => {
    if (frames === undefined)
      throw new KeptOriginalError(`${name} can't be decoded without errors.`);
    return frames;
  };
  const played = decoded(
    "The file that is played",
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
    throw new KeptOriginalError("The file that is played has other data than the original.");
  if (isSame && rendition === undefined) return verified;
  const rate = constantFrameRate(probe.video.frameRate);
  const steady = decoded("The original", await original(frameFilters(probe.video, rate)));
  // A small rendition has every second frame of a video with a high rate, and may be what is played.
  const isHalf = rate.numerator / rate.denominator > 31 && played === Math.ceil(steady / 2);
  if (!isSame && (probe.playable || !(isHalf || played === steady)))
    throw new KeptOriginalError(
      `The file that is played has ${played} frames instead of ${steady}.`,
    );
  if (rendition !== undefined && rendition !== steady)
    throw new KeptOriginalError(`The stream has ${rendition} frames instead of ${steady}.`);
  return verified;
}

/** Whether the files are those that were verified. */
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
  throw new KeptOriginalError("The file that is played can't be played.");
}

/** Decoders don't notice all damage, so that what was copied without a change is compared byte by byte. */
async function hasSamePackets(
  { file, playedFile }: Source,
  copy: Probe,
  probe: Probe,
  task: Task,
): Promise<boolean> {
  const packetsOf = (from: string, { video, durationSeconds }: Probe, sounds: AudioTrack[]) =>
    hashPackets(task, from, durationSeconds, [video.index, ...sounds.map(({ index }) => index)]);
  const copied = await packetsOf(playedFile, copy, copy.audioTracks);
  return isDeepStrictEqual(copied, await packetsOf(file, probe, copyableAudioTracks(probe)));
}
