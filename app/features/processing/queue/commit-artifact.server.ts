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
import { askForFingerprint, notePairs } from "../comparison/fingerprint.server";
import { noteScan } from "../kinds/scan.server";
import { delayCleanup, repeatJob } from "./enqueue.server";
import { PRIORITIES } from "./kinds";
import { isOurs, markDone, RESULT_WAIT_MS, tableOf } from "./queue.server";

/** The name of the result belongs to another video's file. Retrying doesn't help. */
export class NameTakenError extends Error {
  constructor(name: string) {
    super(`The result can't be stored as ${name}, because that file belongs to another video.`);
  }
}

/**
 * Moves a job's artifact to where it is served from, and only then names it in the row, in the
 * transaction that ends the job. Killed at any point, the row names what it named before.
 *
 * @returns false when it is no longer needed, as after the video was deleted; its files are removed then.
 */
export async function commitArtifact(
  job: JobRow,
  source: Source,
  artifact: Artifact,
  folder: string,
): Promise<boolean> {
  const moved: MediaName[] = [];
  for (const { from, bucket, path: name } of artifact.moves) {
    if (!isOurs(job)) break;
    const target = bucketFile(bucket, name);
    if (!target) throw new Error(`${bucket}/${name} is no path of a file.`);
    await claimName(job, source, { bucket, path: name });
    moved.push({ bucket, path: name });
    const made = path.resolve(folder, from);
    if (made !== target) await moveFlushed(made, target);
  }
  const note =
    artifact.replacement &&
    (await replaceVideoFile(job, source, path.join(folder, artifact.replacement)));
  const result = note ? { ...artifact, note } : artifact;
  const wanted = await retryWhileBusy(() => writeResult(job, source, result), RESULT_WAIT_MS);
  if (!wanted) {
    // A deleted video may have files of the same names: the queue keeps what its row names.
    await retryWhileBusy(() => removeUnreferenced(moved, "discarded"), RESULT_WAIT_MS);
    return false;
  }
  await retryWhileBusy(() => withdrawAnnouncement(moved), RESULT_WAIT_MS);
  // A stream may be being watched; it is removed by the clean-up.
  if (!replacesStream(job, source)) await removeStale(source, job.kind);
  // The job has ended, so nobody would come back to count what its files take.
  await retryWhileBusy(() => recordArtifactFiles(source, artifact), RESULT_WAIT_MS);
  return true;
}

/**
 * Reserves the name of a result next to the source, such as the MP4 of an AVI. Derived files have new names each time.
 *
 * @throws {NameTakenError} if the name is that of another video's file, or of a file that another tool may name.
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

/** Whether the row of a job's video names a file. */
function namesFile({ video_id }: JobRow, { bucket, path: name }: MediaName): boolean {
  const row = sqliteHandle().prepare(
    `SELECT 1 FROM ${tableOf(video_id)} WHERE id = @id
       AND @url IN (video_url, source_url, thumbnail_url, generated_poster_url)`,
  );
  return row.get({ id: video_id, url: mediaUrl(bucket, name) }) !== undefined;
}

/** New files are moved into the store, even if the process is killed before it records them. */
function markUnstored(basePath: string): void {
  const mark = sqliteHandle().prepare(
    "UPDATE media_files SET stored = 0 WHERE bucket = ? AND path = ? AND stored = 1",
  );
  for (const bucket of BUCKETS) mark.run(bucket, basePath);
}

/** One transaction; only the columns of the result, so that an edit made meanwhile stays. */
function writeResult(job: JobRow, source: Source, artifact: Artifact): Promise<boolean> {
  const sqlite = sqliteHandle();
  return transaction(() => {
    if (!isOurs(job)) return false;
    if (artifact.ofStream && artifact.ofStream !== streamOf(job)) {
      // Another stream has come meanwhile: it is added to that one.
      repeatJob(job.video_id, "codecs", "running");
      return false;
    }
    markUnstored(source.basePath);
    const table = tableOf(job.video_id);
    for (const [column, value] of Object.entries(artifact.columns)) {
      sqlite.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(value, job.video_id);
    }
    if (artifact.captions) writeCaptions(job, artifact.captions);
    if (replacesStream(job, source)) delayCleanup(job.video_id);
    // Further codecs were made for the stream before.
    if (job.kind === "ladder") repeatJob(job.video_id, "codecs", "done");
    if (job.kind === "storyboard") askForFingerprint(job.video_id, PRIORITIES.fingerprint);
    if (artifact.scan) noteScan(job.video_id, artifact.scan);
    if (artifact.similar) notePairs(job.video_id, artifact.similar);
    if (artifact.blocked?.length) holdMatches(job.video_id, artifact.blocked);
    if (
      (artifact.poster && !namePoster(job, artifact.poster)) ||
      (artifact.thumbnail && !replaceThumbnail(job, artifact.thumbnail))
    ) {
      // Someone has given the video a thumbnail in the meantime. It stays, and the job is done.
      markDone(job.id);
      return false;
    }
    if (artifact.streamIsUrgent) {
      // Where nothing can be watched before, the picture of its card is made before it too.
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
  // One that is not whole ends where it ends: nobody is to wait there.
  return kind === "ladder" && row.hls_url !== null && row.video_url !== "";
}

/** What an admin has added stays, and goes before what the file has under the same name. */
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

/** What earlier generations of a kind, or one that was killed, have left and no row names. */
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

/** Counts what was made among the video's files: each file beside it, and its two folders. */
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
 * Puts a verified file behind the URL of a video. First the earlier file gets a second name, which the row names
 * as its source: players that have begun with it go on reading it (see file-version.server.ts), and captions and
 * renditions are made from it. Killed at any point, both URLs have a file, also while the video is in the trash.
 *
 * @returns a note for the studio if another video uses the file; it isn't replaced then.
 */
export async function replaceVideoFile(
  job: JobRow,
  source: Source,
  converted: string,
): Promise<string | undefined> {
  const name = parseMediaUrl(source.row.video_url || source.url);
  const target = name && bucketFile(name.bucket, name.path);
  if (!name || !target) throw new Error(`${source.row.video_url} is no address of a file.`);
  if (!isOurs(job)) return undefined;
  const version = await fileVersion(target);
  if (!version) throw new Error(`${target} is not there.`);
  const url = mediaUrl(name.bucket, name.path);
  const earlier = earlierVersionPath(name.path, version, isCleanFile(url));
  const earlierFile = bucketFile(name.bucket, earlier);
  if (!earlierFile) throw new Error(`${name.bucket}/${earlier} is no path of a file.`);
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

/** Links the file on the disk under a second name, and adds a record for the same object. */
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
 * Names the earlier version as the source of the video. A source that the row names already is what the job was
 * made from, and stays.
 *
 * @returns "changed" if the row is gone, or has another file by now; "shared" if another row names the file.
 */
function nameEarlier(
  job: JobRow,
  source: Source,
  name: MediaName,
  url: string,
): Promise<"named" | "changed" | "shared"> {
  return transaction(() => {
    if (!isOurs(job)) return "changed";
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
