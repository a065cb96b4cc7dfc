import path from "node:path";
import { bucketFile, type MediaName, parseMediaUrl } from "~/media/bucket.server";
import type { Source } from "~/media/encode/artifact";
import { audioRenditionsFor, MAX_AUDIO_TRACKS } from "~/media/encode/audio-renditions";
import type { Task } from "~/media/encode/task.server";
import { copyHasAllTracks } from "~/media/encode/transcode.server";
import { readText as readMediaText } from "~/media/files/local-copies.server";
import { isReferenced } from "~/media/files/references.server";
import { enqueueRemovals, removeSoon, removeUnreferenced } from "~/media/files/removals.server";
import { diskUsage, namesIn } from "~/media/media-files.server";
import { InterruptedError } from "~/media/probe/ffmpeg.server";
import { cachedProbe, type Probe } from "~/media/probe/probe.server";
import { isEarlierVersion } from "~/media/serve/file-version.server";
import { settings } from "~/platform/settings.server";
import { unlessMissing } from "~/shared/unless-missing";
import { sqliteHandle, transaction } from "~db/client.server";
import type { JobRow } from "~db/schema";
import { retryWhileBusy } from "~db/write-lock";
import { RESULT_WAIT_MS, tableOf } from "./queue.server";
import {
  isUnchanged,
  KeptOriginalError,
  type Replacement,
  type Verified,
  verifyReplacement,
} from "./verify-replacement.server";

/** An original that need not be kept, and the files that were verified to replace it. */
export interface Removal {
  /** A copy has all of it, or KEEP_SOURCES says so. */
  reason: "copied" | "converted";
  verified: Verified;
}

/**
 * Removes versions of the played file which were replaced. Players that began with one of them have long finished.
 * Its URL leads to the file that is played (see media-access.server.ts).
 */
export async function removeEarlierVersions(source: Source): Promise<void> {
  const names = await namesIn({ bucket: "videos", path: source.basePath });
  const earlier = names
    .map((name): MediaName => ({ bucket: "videos", path: `${source.basePath}/${name}` }))
    .filter((file) => isEarlierVersion(file.path) && !isReferenced(file));
  await retryWhileBusy(() => removeUnreferenced(earlier, "replaced"), RESULT_WAIT_MS);
}

/**
 * Checks whether the original may be removed: early, in the captions job, or in the cleanup job. The caller then calls
 * `removeSource`.
 *
 * @returns `removal` if the original may be removed; `note` says why it is kept if that can't be verified.
 */
export async function planSourceRemoval(
  job: JobRow,
  source: Source,
  task: Task,
): Promise<{ removal?: Removal; note?: string }> {
  if (!mayRemoveSource(job, source)) return {};
  try {
    const removal =
      job.kind === "cleanup"
        ? await verifyRemoval(job, source, task)
        : await verifyEarlyRemoval(source, task);
    return { ...(removal && { removal }) };
  } catch (error) {
    if (!(error instanceof KeptOriginalError)) throw error;
    console.warn(`The original of video ${job.video_id} is kept: ${error.message}`);
    return { note: error.message };
  }
}

/**
 * With KEEP_SOURCES=never, what can be removed before the stream is made: a file that nobody could watch,
 * once its captions are there. One with several sounds stays until the stream has them. What can't be verified
 * stays for the last job, which reports it.
 *
 * Decoding takes as long as the job has its lease, so this is called before the job ends, and
 * `removeSource` after it.
 */
async function verifyEarlyRemoval(source: Source, task: Task): Promise<Removal | undefined> {
  const video = await cachedProbe(source.file);
  const stored = storedFiles(source);
  if (video.audioTracks.length > 1 || !stored) return undefined;
  try {
    const replacement = { stored, stream: undefined };
    return {
      reason: "converted",
      verified: await verifyReplacement(source, video, replacement, task),
    };
  } catch (error) {
    task.signal.throwIfAborted();
    if (error instanceof KeptOriginalError || error instanceof InterruptedError) return undefined;
    throw error;
  }
}

/** Whether a job may remove the original, if that is verified: it reads the original and the played file then. */
export function mayRemoveSource({ kind }: JobRow, { row, url }: Source): boolean {
  const { keepSources } = settings();
  const isReplaced = row.video_url !== "" && row.video_url !== url;
  if (kind === "cleanup") return isReplaced && keepSources !== "always";
  const isEarly = kind === "captions" && keepSources === "never";
  return isEarly && isReplaced && !isEarlierVersion(parseMediaUrl(url)?.path ?? "");
}

function storedFiles({ row, url }: Source): Replacement["stored"] | undefined {
  const [original, playing] = [url, row.video_url].map((address) => {
    const name = parseMediaUrl(address);
    return name && bucketFile(name.bucket, name.path);
  });
  return original && playing ? { original, playing } : undefined;
}

/** @throws {KeptOriginalError} when KEEP_SOURCES allows the removal, but nothing proves that nothing is lost. */
async function verifyRemoval(
  job: JobRow,
  source: Source,
  task: Task,
): Promise<Removal | undefined> {
  const stored = storedFiles(source);
  if (!stored) return undefined;
  // Decoding both takes minutes.
  if (!mayForget(job, source)) return undefined;
  const video = await cachedProbe(source.file);
  if (copyHasAllTracks(video)) {
    const replacement = { stored, stream: undefined };
    return {
      reason: "copied",
      verified: await verifyReplacement(source, video, replacement, task),
    };
  }
  const name = parseMediaUrl(source.row.hls_url ?? "");
  const master = name && bucketFile(name.bucket, name.path);
  if (!master || !(await isWholeStream(master, video))) return undefined;
  const replacement = { stored, stream: await verifiedFilesOf(master) };
  return {
    reason: "converted",
    verified: await verifyReplacement(source, video, replacement, task),
  };
}

/** The removal is enqueued in the transaction in which the row forgets the original. */
export async function removeSource(job: JobRow, source: Source, removal: Removal): Promise<void> {
  const name = parseMediaUrl(source.url);
  if (!name) return;
  // What was verified may have been replaced or damaged meanwhile.
  if (!(await isUnchanged(removal.verified))) return;
  if (await retryWhileBusy(() => forgetSource(job, source, name, removal), RESULT_WAIT_MS)) {
    removeSoon();
  }
}

/** Not while the row has changed, another row names the file, or a job may be reading it. */
const MAY_FORGET = /* sql */ `
  id = @id AND source_url = @url AND video_url = @played AND hls_url IS @stream
  AND NOT EXISTS (SELECT 1 FROM videos WHERE source_url = @url AND id <> @id)
  AND NOT EXISTS (SELECT 1 FROM videos WHERE video_url = @url)
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE video_id = @id AND id <> @job
    AND (state = 'running' OR (state <> 'done' AND @isLast)))`;

function valuesOf(job: JobRow, { url, row }: Source) {
  const { video_url: played, hls_url: stream } = row;
  const isLast = Number(job.kind === "cleanup");
  return { id: job.video_id, job: job.id, url, played, stream, isLast };
}

function mayForget(job: JobRow, source: Source): boolean {
  const statement = `SELECT 1 FROM ${tableOf(job.video_id)} WHERE ${MAY_FORGET}`;
  return sqliteHandle().prepare(statement).get(valuesOf(job, source)) !== undefined;
}

function forgetSource(
  job: JobRow,
  source: Source,
  file: MediaName,
  { reason }: Removal,
): Promise<boolean> {
  const statement = /* sql */ `
    UPDATE ${tableOf(job.video_id)} SET source_url = NULL, source_removed_at = coalesce(@removedAt, source_removed_at)
    WHERE ${MAY_FORGET}`;
  const values = {
    ...valuesOf(job, source),
    removedAt: reason === "converted" ? new Date().toISOString() : null,
  };
  return transaction(() => {
    if (sqliteHandle().prepare(statement).run(values).changes === 0) return false;
    enqueueRemovals([file], { reason: "converted" });
    return true;
  });
}

/** Of a video's length: a file or stream that is shorter has lost a part of it. */
export const MIN_PART = 0.95;

/**
 * Whether a stream can stand for the file that it was made from: every playlist that the master names is
 * ended and as long as the video, the files have all bytes that the playlists name, and every sound of the
 * video is among them.
 *
 * @param master the file of the multivariant playlist (RFC 8216 §4.3.4).
 */
async function isWholeStream(master: string, video: Probe): Promise<boolean> {
  const text = await readText(master);
  const sounds = text.match(/^#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="(?:stereo|surround)"/gm) ?? [];
  if (video.audioTracks.length > MAX_AUDIO_TRACKS) return false;
  if (sounds.length < audioRenditionsFor(video.audioTracks, false).length) return false;
  return hasWholePlaylists(master, video.durationSeconds);
}

/**
 * The files of a stream that an original may be removed for: its largest rendition, and its audio tracks,
 * which may be all that is left of further languages.
 */
async function verifiedFilesOf(master: string) {
  const text = await readText(master);
  const renditions = [...text.matchAll(/^(\d+)p\.m3u8$/gm)].map(([, side]) => Number(side));
  const audio = [...text.matchAll(/^#EXT-X-MEDIA:TYPE=AUDIO,.*URI="([^"/]+)\.m3u8"/gm)];
  const fileOf = (name: string) => path.join(path.dirname(master), `${name}.mp4`);
  return {
    rendition: fileOf(`${Math.max(...renditions)}p`),
    audio: [...new Set(audio.map(([, name]) => fileOf(name!)))],
  };
}

/** Whether every playlist that the master names is ended and that long, and its files have all bytes. */
export async function hasWholePlaylists(master: string, seconds: number): Promise<boolean> {
  const text = await readText(master);
  const pictures = text.match(/^#EXT-X-STREAM-INF:.*\n.+$/gm) ?? [];
  const playlists = [
    ...pictures.map((tag) => tag.split("\n")[1]!),
    ...[...text.matchAll(/^#EXT-X-(?:MEDIA:TYPE=AUDIO|I-FRAME).*URI="([^"]+)"/gm)].map(
      ([, uri]) => uri!,
    ),
  ];
  for (const playlist of new Set(playlists)) {
    if (!(await isWhole(path.join(path.dirname(master), playlist), seconds))) {
      return false;
    }
  }
  return pictures.length > 0;
}

async function isWhole(playlist: string, seconds: number): Promise<boolean> {
  const text = await readText(playlist);
  if (!/^#EXT-X-ENDLIST$/m.test(text)) return false;
  let lasts = 0;
  for (const [, duration] of text.matchAll(/^#EXTINF:([\d.]+)/gm)) lasts += Number(duration);
  if (lasts < seconds * MIN_PART) return false;
  const ends = new Map<string, number>();
  for (const [, bytes, offset, file] of text.matchAll(
    /^#EXT-X-BYTERANGE:(\d+)@(\d+)\n([^#\n]+)$/gm,
  )) {
    ends.set(file!, Math.max(ends.get(file!) ?? 0, Number(offset) + Number(bytes)));
  }
  for (const [file, end] of ends) {
    if ((await diskUsage(path.join(path.dirname(playlist), file))) < end) return false;
  }
  return ends.size > 0;
}

/** Empty for a file that is not there. */
async function readText(file: string): Promise<string> {
  return (await readMediaText(file).catch(unlessMissing)) ?? "";
}
