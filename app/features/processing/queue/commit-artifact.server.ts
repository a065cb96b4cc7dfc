import path from "node:path";
import {
  BUCKETS,
  type Bucket,
  bucketFile,
  type MediaName,
  mediaUrl,
  parseMediaUrl,
} from "~/media/bucket.server";
import type { Artifact, Source } from "~/media/encode/artifact";
import { copyState } from "~/media/files/local-copies.server";
import { isReferenced, isReferencedByOther } from "~/media/files/references.server";
import {
  announceFile,
  isAnnounced,
  removeUnreferenced,
  withdrawAnnouncement,
} from "~/media/files/removals.server";
import { recordAlias, storedFile } from "~/media/files/stored-files.server";
import { fileExists, namesIn, recordFile } from "~/media/media-files.server";
import { isCleanFile } from "~/media/metadata/clean-files.server";
import { earlierVersionPath, fileVersion } from "~/media/serve/file-version.server";
import { removeReplacedThumbnail } from "~/media/serve/small-thumbnail.server";
import { formatDuration } from "~/shared/format";
import { linkOrCopy, moveFlushed } from "~/shared/move-files.server";
import { type Captions, readCaptions } from "~db/captions";
import { sqliteHandle, transaction } from "~db/client.server";
import type { JobKind, JobRow } from "~db/schema";
import { retryWhileBusy } from "~db/write-lock";
import { holdMatches } from "../comparison/block-list-matches.server";
import { enqueueFingerprint, recordPairs } from "../comparison/fingerprint.server";
import { recordScan } from "../kinds/scan.server";
import { delayCleanup, requeueJob } from "./enqueue.server";
import { PRIORITIES } from "./kinds";
import { hasLease, markDone, RESULT_WAIT_MS, tableOf } from "./queue.server";

/** The error thrown if the result's file name is used by another video's file. Retrying doesn't help. */
export class NameTakenError extends Error {
  constructor(name: string) {
    super(`The result can't be stored as ${name}, because that file belongs to another video.`);
  }
}

/**
 * Moves a job's output files to the location from which they are served, then references them in the row, in the
 * transaction that ends the job. If the process is killed at any point before that, the row still references its
 * previous files.
 *
 * @returns false if the artifact is no longer needed, for example because the video was deleted. In that case, its
 * files are removed.
 */
export async function commitArtifact(
  job: JobRow,
  source: Source,
  artifact: Artifact,
  folder: string,
): Promise<boolean> {
  const moved: MediaName[] = [];
  for (const { from, bucket, path: name } of artifact.moves) {
    if (!hasLease(job)) break;
    const target = bucketFile(bucket, name);
    if (!target) throw new Error(`${bucket}/${name} is not a valid file path.`);
    await claimName(job, source, { bucket, path: name });
    moved.push({ bucket, path: name });
    const output = path.resolve(folder, from);
    if (output !== target) await moveFlushed(output, target);
  }
  const note =
    artifact.replacement &&
    (await replaceVideoFile(job, source, path.join(folder, artifact.replacement)));
  const result = note ? { ...artifact, note } : artifact;
  const wanted = await retryWhileBusy(() => writeResult(job, source, result), RESULT_WAIT_MS);
  if (!wanted) {
    // A deleted video may have files with the same names; `removeUnreferenced` keeps the files that its row references.
    await retryWhileBusy(() => removeUnreferenced(moved, "discarded"), RESULT_WAIT_MS);
    return false;
  }
  await retryWhileBusy(() => withdrawAnnouncement(moved), RESULT_WAIT_MS);
  // Someone may be watching the previous stream, so the cleanup job removes it later.
  if (!replacesStream(job, source)) await removeStale(source, job.kind);
  // The files' sizes must be recorded here. Because the job has ended, nothing else would record them.
  await retryWhileBusy(() => recordArtifactFiles(source, artifact), RESULT_WAIT_MS);
  return true;
}

/**
 * Reserves the file name for a result next to the source, such as the MP4 version of an AVI.
 *
 * @throws {NameTakenError} if the name is used by another video's file, or by a file that another tool may reference.
 */
async function claimName(job: JobRow, { basePath }: Source, name: MediaName): Promise<void> {
  if (name.path.startsWith(`${basePath}/`)) return;
  const file = bucketFile(name.bucket, name.path);
  const isTaken = await retryWhileBusy(
    () =>
      transaction(() => {
        const isOwn = isAnnounced(name) || !(file && fileExists(file)) || namesFile(job, name);
        if (!isOwn || isReferencedByOther(job.video_id, name)) return true;
        announceFile(name);
        return false;
      }),
    RESULT_WAIT_MS,
  );
  if (isTaken) throw new NameTakenError(`${name.bucket}/${name.path}`);
}

/** Returns whether the row of a job's video references the file. */
function namesFile({ video_id }: JobRow, { bucket, path: name }: MediaName): boolean {
  const row = sqliteHandle().prepare(
    `SELECT 1 FROM ${tableOf(video_id)} WHERE id = @id
       AND @url IN (video_url, source_url, thumbnail_url, generated_poster_url)`,
  );
  return row.get({ id: video_id, url: mediaUrl(bucket, name) }) !== undefined;
}

/**
 * Records that a video's derived files aren't in the store, so that new files are moved to the store even after a
 * crash.
 */
function markUnstored(basePath: string): void {
  const mark = sqliteHandle().prepare(
    "UPDATE media_files SET stored = 0 WHERE bucket = ? AND path = ? AND stored = 1",
  );
  for (const bucket of BUCKETS) mark.run(bucket, basePath);
}

/** Writes the result in one transaction. Only the columns for the result are changed, so concurrent edits are kept. */
function writeResult(job: JobRow, source: Source, artifact: Artifact): Promise<boolean> {
  const sqlite = sqliteHandle();
  return transaction(() => {
    if (!hasLease(job)) return false;
    if (artifact.ofStream && artifact.ofStream !== streamOf(job)) {
      // The stream has been replaced in the meantime, so the job runs again for the new one.
      requeueJob(job.video_id, "codecs", "running");
      return false;
    }
    markUnstored(source.basePath);
    const table = tableOf(job.video_id);
    for (const [column, value] of Object.entries(artifact.columns)) {
      sqlite.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(value, job.video_id);
    }
    if (artifact.captions) writeCaptions(job, artifact.captions);
    if (replacesStream(job, source)) delayCleanup(job.video_id);
    // The existing additional codecs belong to the previous stream, so they must be encoded again.
    if (job.kind === "ladder") requeueJob(job.video_id, "codecs", "done");
    if (job.kind === "storyboard") enqueueFingerprint(job.video_id, PRIORITIES.fingerprint);
    if (artifact.scan) recordScan(job.video_id, artifact.scan);
    if (artifact.similar) recordPairs(job.video_id, artifact.similar);
    if (artifact.blocked?.length) holdMatches(job.video_id, artifact.blocked);
    if (
      (artifact.poster && !namePoster(job, artifact.poster)) ||
      (artifact.thumbnail && !replaceThumbnail(job, artifact.thumbnail))
    ) {
      // Someone has added a thumbnail to the video in the meantime. It is kept, and the job is done.
      markDone(job.id);
      return false;
    }
    if (artifact.streamIsUrgent) {
      // The video can't be watched until the stream exists, so the poster for its card is urgent as well.
      sqlite
        .prepare(
          `UPDATE jobs SET priority = @priority WHERE video_id = @id AND (kind = 'ladder'
             OR kind = 'poster' AND EXISTS (SELECT 1 FROM videos WHERE id = @id AND video_url = ''))`,
        )
        .run({ priority: PRIORITIES.transcode, id: job.video_id });
    }
    if (artifact.durationSeconds) {
      sqlite
        .prepare(`UPDATE ${table} SET duration = ? WHERE id = ? AND duration = '0:00'`)
        .run(formatDuration(Math.round(artifact.durationSeconds)), job.video_id);
    }
    markDone(job.id, artifact.note);
    return true;
  });
}

function streamOf({ video_id }: JobRow): unknown {
  return sqliteHandle()
    .prepare(`SELECT hls_url FROM ${tableOf(video_id)} WHERE id = ?`)
    .pluck()
    .get(video_id);
}

function replacesStream({ kind }: JobRow, { row }: Source): boolean {
  // An incomplete stream isn't kept for its current viewers, because playback would stall at its end anyway.
  return kind === "ladder" && row.hls_url !== null && row.video_url !== "";
}

/** Captions that an admin added are kept, and take precedence over captions from the file that have the same label. */
function writeCaptions(job: JobRow, artifact: readonly Captions[]): void {
  const sqlite = sqliteHandle();
  const table = tableOf(job.video_id);
  const read = sqlite
    .prepare<unknown[], string | null>(`SELECT captions FROM ${table} WHERE id = ?`)
    .pluck();
  const added = readCaptions(read.get(job.video_id)!).filter(({ added }) => added);
  const taken = new Set(added.map(({ label }) => label));
  const all = [...artifact.filter(({ label }) => !taken.has(label)), ...added];
  sqlite
    .prepare(`UPDATE ${table} SET captions = ? WHERE id = ?`)
    .run(JSON.stringify(all), job.video_id);
}

function namePoster(job: JobRow, { url, colors }: NonNullable<Artifact["poster"]>): boolean {
  const { changes } = sqliteHandle()
    .prepare(
      `UPDATE ${tableOf(job.video_id)}
       SET thumbnail_url = @url, poster_colors = @colors, generated_poster_url = @url
       WHERE id = @id AND thumbnail_url IS NULL`,
    )
    .run({ url, colors: colors ?? null, id: job.video_id });
  return changes > 0;
}

function replaceThumbnail(
  { video_id }: JobRow,
  { before, url, colors }: NonNullable<Artifact["thumbnail"]>,
): boolean {
  const { changes } = sqliteHandle()
    .prepare(
      `UPDATE ${tableOf(video_id)} SET thumbnail_url = @url, poster_colors = @colors
       WHERE id = @id AND thumbnail_url = @before`,
    )
    .run({ url, colors: colors ?? null, before, id: video_id });
  if (changes > 0) removeReplacedThumbnail(before);
  return changes > 0;
}

const GENERATIONS: Partial<Record<JobKind, string>> = {
  captions: "captions-",
  ladder: "hls-",
  storyboard: "storyboard-",
  preview: "preview-",
};

/**
 * Removes derived files of one kind that no row references: those of earlier generations, and those of a killed
 * attempt.
 */
export async function removeStale({ basePath }: Source, kind: JobKind): Promise<void> {
  const prefix = GENERATIONS[kind];
  if (!prefix) return;
  const stale: MediaName[] = [];
  for (const bucket of BUCKETS) {
    for (const name of await namesIn({ bucket, path: basePath })) {
      const entry = { bucket, path: `${basePath}/${name}` };
      if (name.startsWith(prefix) && !isReferenced(entry)) stale.push(entry);
    }
  }
  await retryWhileBusy(() => removeUnreferenced(stale, "discarded"), RESULT_WAIT_MS);
}

/**
 * Records the sizes of a result's files: one size for each file next to the video, and one for each of the video's two
 * folders.
 */
async function recordArtifactFiles(
  { videoId, basePath, row, url }: Source,
  artifact: Artifact,
): Promise<void> {
  const folders = new Set<Bucket>();
  const replaced = artifact.replacement ? parseMediaUrl(row.video_url || url) : undefined;
  if (replaced) {
    folders.add("videos");
    await recordFile({ ...replaced, videoId, kind: "video", isClean: true });
  }
  for (const { bucket, path: name } of artifact.moves) {
    if (name.startsWith(`${basePath}/`)) folders.add(bucket);
    else {
      const kind = bucket === "videos" ? "video" : "thumbnail";
      await recordFile({ bucket, path: name, videoId, kind, isClean: true });
    }
  }
  for (const bucket of folders) {
    await recordFile({ bucket, path: basePath, videoId, kind: "derived" });
  }
}

const SHARED = "The file wasn't replaced because another video uses it too.";

/**
 * Replaces the file at a video's URL with a verified one. First, the previous file gets a second name, which the row
 * references as its source: players that have started with the previous file continue to read it (see
 * file-version.server.ts), and captions and renditions are created from it. If the process is killed at any point, both
 * URLs still have a file, even if the video is in the trash.
 *
 * @returns a note for the studio if the file isn't replaced because another video uses it.
 */
export async function replaceVideoFile(
  job: JobRow,
  source: Source,
  converted: string,
): Promise<string | undefined> {
  const name = parseMediaUrl(source.row.video_url || source.url);
  const target = name && bucketFile(name.bucket, name.path);
  if (!name || !target) throw new Error(`${source.row.video_url} is not the URL of a media file.`);
  if (!hasLease(job)) return undefined;
  const version = await fileVersion(target);
  if (!version) throw new Error(`${target} doesn't exist.`);
  const url = mediaUrl(name.bucket, name.path);
  const earlier = earlierVersionPath(name.path, version, isCleanFile(url));
  const earlierFile = bucketFile(name.bucket, earlier);
  if (!earlierFile) throw new Error(`${name.bucket}/${earlier} is not a valid file path.`);
  const earlierName = { bucket: name.bucket, path: earlier };
  await keepEarlierVersion(name, target, earlierName, earlierFile);
  const state = await retryWhileBusy(
    () => nameEarlier(job, source, name, mediaUrl(name.bucket, earlier)),
    RESULT_WAIT_MS,
  );
  if (state !== "named") {
    await retryWhileBusy(() => removeUnreferenced([earlierName], "discarded"), RESULT_WAIT_MS);
    return state === "shared" ? SHARED : undefined;
  }
  await moveFlushed(converted, target);
  return undefined;
}

/** Links the file under a second name on disk, and records the second name for the same object in the store. */
async function keepEarlierVersion(
  name: MediaName,
  target: string,
  second: MediaName,
  secondFile: string,
): Promise<void> {
  const stored = storedFile(name);
  const state = stored && (await copyState(target, stored));
  if (state !== "missing") await linkOrCopy(target, secondFile);
  if (!stored || state === "newer") return;
  await retryWhileBusy(() => transaction(() => recordAlias(name, second)), RESULT_WAIT_MS);
}

/**
 * Sets the previous version as the video's source. If the row already has a source, that source is the job's input and
 * is kept.
 *
 * @returns "changed" if the row has since been deleted or has another file; "shared" if another row references the
 * file.
 */
function nameEarlier(
  job: JobRow,
  source: Source,
  name: MediaName,
  url: string,
): Promise<"named" | "changed" | "shared"> {
  return transaction(() => {
    if (!hasLease(job)) return "changed";
    if (isReferencedByOther(job.video_id, name)) return "shared";
    sqliteHandle()
      .prepare(
        `UPDATE ${tableOf(job.video_id)} SET source_url = @url
         WHERE id = @id AND (source_url IS NULL OR source_url = @before)`,
      )
      .run({ url, id: job.video_id, before: source.row.video_url || source.url });
    delayCleanup(job.video_id);
    return "named";
  });
}
