import { rename } from "node:fs/promises";
import path from "node:path";
import { type Artifact, isSingleFrame, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import { audioRenditionsFor } from "~/media/encode/audio-renditions";
import { presetFor } from "~/media/encode/encoders.server";
import { readFragments } from "~/media/encode/fragments.server";
import { finishStream } from "~/media/encode/ladder.server";
import { constantFrameRate, streamRenditions } from "~/media/encode/renditions.server";
import type { Ladder } from "~/media/encode/stream-playlists.server";
import { createTask, EncodeError } from "~/media/encode/task.server";
import { digestOf } from "~/media/intake/tus-store.server";
import { inputArguments, run } from "~/media/probe/ffmpeg.server";
import { cachedProbe, type Probe, RefusedFileError } from "~/media/probe/probe.server";
import { every } from "~db/runtime.server";
import { sourceOf, withSourceFiles } from "../queue/produce-artifact.server";
import { heartbeat } from "../queue/queue.server";
import { hasCompletePlaylists, MIN_LENGTH_SHARE } from "../queue/remove-source.server";
import { receivedFolder } from "./leases.server";
import { commitReceived, type LeasedJob, receivedBytes, receivedFiles } from "./remote-jobs.server";

/** The SHA-256 digest of each file in a result, by file name. */
export type Digests = Readonly<Record<string, string>>;

/** The error thrown if a result is rejected. The message is for the log and the studio. */
export class InvalidResultError extends Error {}

const HEARTBEAT_MS = 10_000;
const LIMITS = { seconds: 60, cpuSeconds: 60 };
const VIDEO_CODEC = /^avc1\.[0-9a-f]{6}$/;
const AUDIO_CODEC = /^(?:mp4a\.40\.2|ac-3|ec-3)$/;
/** The last frame to be decoded is this many seconds before the end of the video. */
const LAST_FRAME_OFFSET_SECONDS = 1;

/**
 * Verifies a worker's result and publishes it like a stream that was encoded here. The files must have the declared
 * digests and the expected resolutions and audio tracks, be as long as the video, and be decodable at the beginning,
 * middle and end. Playlists aren't accepted from workers; they are generated here from the files.
 *
 * @returns false if the job is no longer needed.
 * @throws {InvalidResultError} if the result isn't valid.
 */
export async function acceptStream(job: LeasedJob, digests: Digests): Promise<boolean> {
  const source = await sourceOf(job);
  if (!source) return false;
  const beat = every(HEARTBEAT_MS, `extend the lease of job ${job.id}`, () =>
    heartbeat(job, { progress: 0.99 }),
  );
  try {
    await requireDigests(job, digests);
    const stream = await withSourceFiles(job, source, () => verifyStream(job, source, digests));
    return await commitReceived(job, source, stream);
  } catch (error) {
    // Errors from ffmpeg or the MP4 parser are caused by the files that the worker sent.
    if (error instanceof EncodeError || error instanceof RangeError)
      throw new InvalidResultError(error.message);
    throw error;
  } finally {
    await beat.stop();
  }
}

async function verifyStream(job: LeasedJob, source: Source, digests: Digests): Promise<Artifact> {
  const video = await cachedProbe(source.file);
  if (isSingleFrame(video)) return NO_ARTIFACT;
  const folder = receivedFolder(job);
  const made = path.join(folder, `hls-${job.id.toString(36)}${Date.now().toString(36)}`);
  const ladder = await verifyFiles(job, source, video, new Set(Object.keys(digests)));
  await rename(receivedFiles(job), made);
  const task = createTask(folder, () => {});
  const withCopy = source.row.video_url === "";
  const stream = await finishStream(source, { ...ladder, folder: made }, task, withCopy);
  if (!(await hasCompletePlaylists(path.join(made, "master.m3u8"), video.durationSeconds))) {
    throw new InvalidResultError("The playlists are shorter than the video.");
  }
  return stream;
}

async function requireDigests(job: LeasedJob, digests: Digests): Promise<void> {
  const received = Object.keys(await receivedBytes(job));
  const missing = Object.keys(digests).find((name) => !received.includes(name));
  if (missing) throw new InvalidResultError(`${missing} hasn't been uploaded.`);
  for (const name of received) {
    const digest = Object.hasOwn(digests, name) ? digests[name] : undefined;
    if (digest === undefined) throw new InvalidResultError(`${name} has no digest.`);
    if ((await digestOf(path.join(receivedFiles(job), name))) !== digest.toLowerCase()) {
      throw new InvalidResultError(`${name} doesn't match its digest.`);
    }
  }
}

/** Verifies the result's files, and returns its renditions and audio tracks. */
async function verifyFiles(
  job: LeasedJob,
  source: Source,
  video: Probe,
  names: ReadonlySet<string>,
): Promise<Ladder> {
  const folder = receivedFiles(job);
  const isReceived = ({ name }: { name: string }) => names.has(`${name}.mp4`);
  const all = streamRenditions(video);
  const renditions = all.filter(isReceived);
  if (!renditions.includes(all.at(-1)!)) {
    throw new InvalidResultError("The largest rendition is missing.");
  }
  const withLowBandwidth = renditions.some(({ forSlowConnections }) => forSlowConnections);
  const audioTracks = audioRenditionsFor(video.audioTracks, withLowBandwidth);
  // The default audio track is only required if it must be encoded.
  const missingAudio = audioTracks.find(
    (each) => each.isDefault && each.bitrate && !isReceived(each),
  );
  if (missingAudio) throw new InvalidResultError(`${missingAudio.name}.mp4 is missing.`);
  const known = [...renditions, ...audioTracks].map(({ name }) => `${name}.mp4`);
  const unknown = [...names].find((name) => !known.includes(name));
  if (unknown) throw new InvalidResultError(`${unknown} isn't part of a stream of this video.`);
  const { durationSeconds } = video;
  for (const { name, width, height } of renditions) {
    const file = path.join(folder, `${name}.mp4`);
    const { video } = await probeRendition(file);
    if (video.width !== width || video.height !== height)
      throw new InvalidResultError(`${name}.mp4 doesn't have the requested resolution.`);
    await checkTrack(file, VIDEO_CODEC, durationSeconds);
    for (const share of [0.5, 1]) {
      await decodeFrame(file, Math.max(0, durationSeconds * share - LAST_FRAME_OFFSET_SECONDS));
    }
  }
  for (const track of audioTracks.filter(isReceived)) {
    // Copied audio may be shorter. It is left out in that case.
    const seconds = track.bitrate ? durationSeconds : 0;
    await checkTrack(path.join(folder, `${track.name}.mp4`), AUDIO_CODEC, seconds);
  }
  return {
    ...{ file: source.file, probe: video, renditions, audio: audioTracks.filter(isReceived) },
    ...{ rate: constantFrameRate(video.video.frameRate), folder, preset: presetFor("usual") },
  };
}

/** Probes a video file, including its first frame. */
async function probeRendition(file: string): Promise<Probe> {
  try {
    return await cachedProbe(file);
  } catch (error) {
    if (!(error instanceof RefusedFileError)) throw error;
    throw new InvalidResultError(`${path.basename(file)} isn't a playable video.`);
  }
}

async function checkTrack(file: string, codec: RegExp, videoSeconds: number): Promise<void> {
  const found = await readFragments(file);
  const seconds = found.fragments.reduce((sum, { duration }) => sum + duration, 0);
  if (!codec.test(found.codec))
    throw new InvalidResultError(`${path.basename(file)} has an unexpected codec.`);
  if (seconds < videoSeconds * MIN_LENGTH_SHARE)
    throw new InvalidResultError(`${path.basename(file)} is shorter than the video.`);
}

async function decodeFrame(file: string, seconds: number): Promise<void> {
  const { exitCode, stdout } = await run(
    "ffmpeg",
    [
      ...["-v", "error", "-xerror", "-threads", "1", "-ss", seconds.toFixed(3)],
      ...[...inputArguments(file), "-frames:v", "1", "-f", "null", "-progress", "pipe:1", "-"],
    ],
    LIMITS,
  );
  if (exitCode === 0 && /^frame=1$/m.test(stdout)) return;
  throw new InvalidResultError(`${path.basename(file)} can't be decoded.`);
}
