import fs from "node:fs/promises";
import path from "node:path";
import type { Selectable } from "kysely";
import {
  BUCKETS,
  bucketFile,
  type MediaName,
  mediaBasePath,
  mediaUrl,
  parseMediaUrl,
} from "~/media/bucket.server";
import { secondOf } from "~/media/intake/move-into-bucket.server";
import { filesBeingImported } from "~/media/intake/running-imports.server";
import { cutBasePath } from "~/media/jobs/cut-source.server";
import { diskUsage, forgetFiles, replaceRecord } from "~/media/media-files.server";
import { removeStored } from "~/media/storage/remove.server";
import { settings } from "~/server/settings.server";
import { database } from "~db/client.server";
import type { MediaFilesTable, VideoRow } from "~db/schema";
import { type MissingFile, missingFiles, rowsWithFilesAfter } from "./missing-files.server";

/** No upload needs this long from its first byte in the bucket to its row. */
const ABANDONED_MS = 24 * 3_600_000;

/** A file, or a folder of derived files, in a bucket. */
export interface LibraryEntry extends MediaName {
  isFolder: boolean;
  bytes: number;
}

export interface LibraryReport {
  /** In the buckets, but of no video. */
  stray: LibraryEntry[];
  /** Referenced by a video, but not on disk. */
  missing: MissingFile[];
  /** Entries that belong to a video, and their bytes. */
  entries: number;
  bytes: number;
}

interface Claims {
  /** `bucket/path` of the files that rows name, with the video's id. */
  files: Map<string, string>;
  /** `{userId}/{timestamp}` of the videos: the folders of their derived files. */
  basePaths: Map<string, string>;
  /** The same of the thumbnails, with the folders of their smaller versions. */
  thumbnailBasePaths: Map<string, string>;
}

/**
 * Compares the buckets with the catalogue, and corrects the recorded disk usage.
 * It removes nothing, and may run beside the server: records that were written since it began
 * stay as they are, and files of an upload in progress are left to the upload.
 *
 * @param wantsMissing false leaves out the list of missing files, for which each is looked up on the disk
 *   and recorded.
 */
export async function checkLibrary({ wantsMissing = true } = {}): Promise<LibraryReport> {
  const recorded = await recordedFiles();
  const claims = await readClaims();
  const report: LibraryReport = { stray: [], missing: [], entries: 0, bytes: 0 };
  const found = new Set<string>();
  const unowned: LibraryEntry[] = [];
  for await (const entry of entries()) {
    const key = keyOf(entry);
    found.add(key);
    const videoId = ownerOf(entry, claims);
    if (videoId === undefined && (await isArriving(entry))) continue;
    if (videoId === undefined) unowned.push(entry);
    report.entries += 1;
    report.bytes += entry.bytes;
    await correctRecord(entry, videoId ?? null, recorded.get(key));
  }
  for (const [key, file] of recorded) {
    // Deeper entries count as a part of their folder.
    const isOwnEntry = file.path.split("/").length === 2;
    if (!(isOwnEntry && found.has(key))) await forgetUnlessChanged(file);
  }
  await deleteOrphanDigests();
  await correctFigure();
  report.stray = await stillUnowned(unowned);
  if (wantsMissing) for await (const file of missingFiles()) report.missing.push(file);
  return report;
}

async function* rowsWithFiles() {
  for (let after = 0; ; ) {
    const rows = await rowsWithFilesAfter(after);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.number;
  }
}

/**
 * Removes what belongs to no video. Asks the catalogue once more first: an upload that was just being
 * published has its row by now.
 *
 * @returns what was removed.
 */
export async function removeStray(stray: readonly LibraryEntry[]): Promise<LibraryEntry[]> {
  const gone = await stillUnowned(stray);
  for (const entry of gone) {
    const at = bucketFile(entry.bucket, entry.path);
    if (at) await removeStored(at);
  }
  await forgetFiles(gone);
  return gone;
}

/** The entries that still belong to no video and to no upload in progress. */
async function stillUnowned(entries: readonly LibraryEntry[]): Promise<LibraryEntry[]> {
  const left: LibraryEntry[] = [];
  // Checked before the rows are read: an upload releases its reservation after its row is written.
  for (const entry of entries) if (!(await isArriving(entry))) left.push(entry);
  const claims = left.length > 0 ? await readClaims() : undefined;
  return left.filter((entry) => claims && ownerOf(entry, claims) === undefined);
}

/**
 * Whether the file belongs to an upload in progress, which reserves the empty folder
 * `{userId}/{timestamp}` from before
 * the file's first byte until the row is there; one that is a day old is what a killed process left.
 */
async function isArriving({ path: pathInBucket, isFolder }: LibraryEntry): Promise<boolean> {
  // The folder by which an import reserves a second; its rows in `imports` tell whether it runs.
  if (isFolder && pathInBucket.endsWith("000")) return false;
  const folder = bucketFile("videos", mediaBasePath(pathInBucket));
  if (!folder) return false;
  const [names, stat] = await Promise.all([
    fs.readdir(folder).catch(() => undefined),
    fs.stat(folder).catch(() => undefined),
  ]);
  return names?.length === 0 && stat !== undefined && Date.now() - stat.mtimeMs < ABANDONED_MS;
}

async function readClaims(): Promise<Claims> {
  const claims: Claims = {
    files: new Map(),
    basePaths: new Map(),
    thumbnailBasePaths: new Map(),
  };
  for await (const { id, ...row } of rowsWithFiles()) claim(claims, id, row);
  const others = await database()
    .selectFrom("video_files")
    .select(["id", "video_url", "source_url", "thumbnail_url", "cut_of", "created_at"])
    .where("state", "!=", "removed")
    .execute();
  for (const { id, ...row } of others) {
    claim(claims, id, row);
    // Its file is moved into the bucket before its row names it.
    const cut = row.video_url === "" ? cutBasePath(row) : undefined;
    if (cut) claim(claims, id, { ...row, video_url: mediaUrl("videos", `${cut}.mp4`) });
  }
  for (const { videoId, target } of await filesBeingImported()) {
    const basePath = mediaBasePath(target);
    claims.files.set(`videos/${target}`, videoId);
    claims.files.set(`thumbnails/${basePath}.webp`, videoId);
    claims.basePaths.set(basePath, videoId);
    claims.basePaths.set(secondOf(basePath), videoId);
  }
  return claims;
}

function claim(
  claims: Claims,
  id: string,
  row: Pick<VideoRow, "video_url" | "source_url" | "thumbnail_url">,
): void {
  for (const url of [row.video_url, row.source_url, row.thumbnail_url]) {
    const file = url ? parseMediaUrl(url) : undefined;
    if (!url || !file) continue;
    claims.files.set(`${file.bucket}/${file.path}`, id);
    if (url !== row.thumbnail_url) claims.basePaths.set(mediaBasePath(file.path), id);
    else claims.thumbnailBasePaths.set(mediaBasePath(file.path), id);
  }
}

function ownerOf(entry: LibraryEntry, claims: Claims): string | undefined {
  if (entry.isFolder) {
    const ofThumbnail = entry.bucket === "thumbnails" && claims.thumbnailBasePaths.get(entry.path);
    return claims.basePaths.get(entry.path) ?? (ofThumbnail || undefined);
  }
  return claims.files.get(`${entry.bucket}/${entry.path}`);
}

/** The entries of `{bucket}/{userId}/`. */
async function* entries(): AsyncGenerator<LibraryEntry> {
  for (const bucket of BUCKETS) {
    const root = path.join(settings().uploadsDir, bucket);
    for (const user of await listing(root)) {
      if (!user.isDirectory()) continue;
      for (const name of await listing(path.join(root, user.name))) {
        const isFolder = name.isDirectory();
        const bytes = await diskUsage(path.join(root, user.name, name.name));
        yield { bucket, path: `${user.name}/${name.name}`, isFolder, bytes };
      }
    }
  }
}

async function listing(folder: string) {
  const all = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  return all.filter(({ name }) => !name.startsWith("."));
}

/** Recomputes the recorded total from the files' records. */
async function correctFigure(): Promise<void> {
  await database()
    .updateTable("storage")
    .set(({ selectFrom, fn, val }) => ({
      checked_at: new Date().toISOString(),
      bytes: selectFrom("media_files").select(
        fn.coalesce(fn.sum<number>("bytes"), val(0)).as("all"),
      ),
    }))
    .execute();
}

type RecordedFile = Selectable<MediaFilesTable>;

const keyOf = ({ bucket, path }: MediaName) => `${bucket}/${path}`;

async function recordedFiles(): Promise<Map<string, RecordedFile>> {
  const rows = await database().selectFrom("media_files").selectAll().execute();
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Writes what was found, unless the record has changed since `before` was read. */
async function correctRecord(
  { bucket, path, bytes, isFolder }: LibraryEntry,
  videoId: string | null,
  before: RecordedFile | undefined,
): Promise<void> {
  const kind = isFolder ? "derived" : bucket === "videos" ? "video" : "thumbnail";
  if (before && before.bytes === bytes && before.video_id === videoId && before.kind === kind) {
    return;
  }
  await replaceRecord(before, { bucket, path, videoId, kind, bytes });
  if (before) return;
  // A file that was deleted since it was measured: its record was removed before this one came.
  const file = bucketFile(bucket, path);
  const isThere = file && (await fs.lstat(file).catch(() => undefined));
  if (!isThere) await forgetFiles([{ bucket, path }]);
}

async function forgetUnlessChanged(before: RecordedFile): Promise<void> {
  const isOwnEntry = before.path.split("/").length === 2;
  const file = bucketFile(before.bucket, before.path);
  if (isOwnEntry && file && (await fs.lstat(file).catch(() => undefined))) return;
  await replaceRecord(before, undefined);
}

/** Digests of videos that another program deleted; for our own the trash removes them. */
async function deleteOrphanDigests(): Promise<void> {
  const videos = database().selectFrom("videos").select("id");
  const deleted = database().selectFrom("deleted_videos").select("id");
  await database()
    .deleteFrom("video_digests")
    .where("video_id", "not in", videos)
    .where("video_id", "not in", deleted)
    .execute();
}
