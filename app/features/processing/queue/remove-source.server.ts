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

/** An original that may be removed, along with the files that have been verified as its replacement. */
export interface Removal {
  /** `copied`: a copy contains everything in the original. `converted`: KEEP_SOURCES allows the removal. */
  reason: "copied" | "converted";
  verified: Verified;
}

/**
 * Removes previous versions of the playable file. Players that were using one of them have long since finished. Their
 * URLs lead to the current file (see media-access.server.ts).
 */
export async function removeEarlierVersions(source: Source): Promise<void> {
  const names = await namesIn({ bucket: "videos", path: source.basePath });
  const earlier = names
    .map((name): MediaName => ({ bucket: "videos", path: `${source.basePath}/${name}` }))
    .filter((file) => isEarlierVersion(file.path) && !isReferenced(file));
  await retryWhileBusy(() => removeUnreferenced(earlier, "replaced"), RESULT_WAIT_MS);
}

/**
 * Checks whether a job may remove the original: either the captions job, which can remove it early, or the cleanup job.
 * The caller then calls `removeSource`.
 *
 * @returns `removal` if the original may be removed; `note` explains why the original is kept if it can't be verified
 * that nothing would be lost.
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
    console.warn(`Kept the original of video ${job.video_id}: ${error.message}`);
    return { note: error.message };
  }
}

/**
 * Verifies whether an original can be removed before its stream is encoded (KEEP_SOURCES=never). This applies to a file
 * that browsers can't play, once its captions have been extracted. A file with several audio tracks is kept until the
 * stream contains them. If the verification fails, the original is kept for the cleanup job, which reports the problem.
 *
 * Decoding needs the job's lease, so this function runs before the job ends, and `removeSource` runs afterwards.
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

/**
 * Returns whether a job may remove the original after verifying that it has been replaced. The verification reads both
 * files.
 */
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

/**
 * @throws {KeptOriginalError} if KEEP_SOURCES allows the removal, but it can't be verified that nothing would be lost.
 */
async function verifyRemoval(
  job: JobRow,
  source: Source,
  task: Task,
): Promise<Removal | undefined> {
  const stored = storedFiles(source);
  if (!stored) return undefined;
  // This is checked before the files are decoded, because decoding takes minutes.
  if (!canRemove(job, source)) return undefined;
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
  if (!master || !(await isCompleteStream(master, video))) return undefined;
  const replacement = { stored, stream: await verifiedFilesOf(master) };
  return {
    reason: "converted",
    verified: await verifyReplacement(source, video, replacement, task),
  };
}

/**
 * Removes the original. The removal of the file is enqueued in the transaction that clears the reference in the row.
 */
export async function removeSource(job: JobRow, source: Source, removal: Removal): Promise<void> {
  const name = parseMediaUrl(source.url);
  if (!name) return;
  // The verified files may have been replaced or damaged in the meantime.
  if (!(await isUnchanged(removal.verified))) return;
  if (await retryWhileBusy(() => clearSource(job, source, name, removal), RESULT_WAIT_MS)) {
    removeSoon();
  }
}

/**
 * An SQL condition that is false if the row has changed, if another row references the file, or if a job may be reading
 * the file.
 */
const CAN_REMOVE = /* sql */ `
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

function canRemove(job: JobRow, source: Source): boolean {
  const statement = `SELECT 1 FROM ${tableOf(job.video_id)} WHERE ${CAN_REMOVE}`;
  return sqliteHandle().prepare(statement).get(valuesOf(job, source)) !== undefined;
}

function clearSource(
  job: JobRow,
  source: Source,
  file: MediaName,
  { reason }: Removal,
): Promise<boolean> {
  const statement = /* sql */ `
    UPDATE ${tableOf(job.video_id)} SET source_url = NULL, source_removed_at = coalesce(@removedAt, source_removed_at)
    WHERE ${CAN_REMOVE}`;
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

/** The minimum share of a video's length. A shorter file or stream is considered incomplete. */
export const MIN_LENGTH_SHARE = 0.95;

/**
 * Returns whether a stream can replace its source: every playlist in the master playlist has an end tag and is as long
 * as the video, the files contain all byte ranges in the playlists, and all of the video's audio tracks are included.
 *
 * @param master the path of the multivariant playlist (RFC 8216 §4.3.4).
 */
async function isCompleteStream(master: string, video: Probe): Promise<boolean> {
  const text = await readText(master);
  const audioTracks = text.match(/^#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="(?:stereo|surround)"/gm) ?? [];
  if (video.audioTracks.length > MAX_AUDIO_TRACKS) return false;
  if (audioTracks.length < audioRenditionsFor(video.audioTracks, false).length) return false;
  return hasCompletePlaylists(master, video.durationSeconds);
}

/**
 * Returns the files of a stream that must be verified before the original is removed: the largest rendition, and the
 * audio tracks, since they may be the only remaining audio in other languages.
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

/**
 * Returns whether every playlist in the master playlist has an end tag and the given length, and whether its files
 * contain all bytes.
 */
export async function hasCompletePlaylists(master: string, seconds: number): Promise<boolean> {
  const text = await readText(master);
  const variants = text.match(/^#EXT-X-STREAM-INF:.*\n.+$/gm) ?? [];
  const playlists = [
    ...variants.map((tag) => tag.split("\n")[1]!),
    ...[...text.matchAll(/^#EXT-X-(?:MEDIA:TYPE=AUDIO|I-FRAME).*URI="([^"]+)"/gm)].map(
      ([, uri]) => uri!,
    ),
  ];
  for (const playlist of new Set(playlists)) {
    if (!(await isCompletePlaylist(path.join(path.dirname(master), playlist), seconds))) {
      return false;
    }
  }
  return variants.length > 0;
}

async function isCompletePlaylist(playlist: string, seconds: number): Promise<boolean> {
  const text = await readText(playlist);
  if (!/^#EXT-X-ENDLIST$/m.test(text)) return false;
  let length = 0;
  for (const [, duration] of text.matchAll(/^#EXTINF:([\d.]+)/gm)) length += Number(duration);
  if (length < seconds * MIN_LENGTH_SHARE) return false;
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

/** Returns an empty string if the file is missing. */
async function readText(file: string): Promise<string> {
  return (await readMediaText(file).catch(unlessMissing)) ?? "";
}
