import { filesBeingImported } from "~/features/upload/import/journal.server";
import { type MediaName, mediaBasePath, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import type { NamedFiles } from "~/media/files/references.server";
import { trimBasePath } from "~/media/files/trim-source.server";
import { secondOf } from "~/media/intake/move-into-bucket.server";
import { readCaptions } from "~db/captions";
import { database, prepared } from "~db/client.server";
import { rowsWithFilesAfter } from "./missing-files.server";

/** The videos to which the entries in the buckets belong, according to the database. */
export interface Claims {
  /** The video ids, keyed by `{bucket}/{path}`, for the files that rows reference. */
  files: Map<string, string>;
  /** The video ids, keyed by `{userId}/{timestamp}`, which are the names of the folders for derived files. */
  basePaths: Map<string, string>;
  /** Like `basePaths`, but for thumbnails, whose folders contain smaller versions. */
  thumbnailBasePaths: Map<string, string>;
}

/** Reads the current, previous and pending files of videos, and the files of deleted videos and running imports. */
export async function readClaims(): Promise<Claims> {
  const claims: Claims = { files: new Map(), basePaths: new Map(), thumbnailBasePaths: new Map() };
  // Deleted videos come first, so that a live video with the same files counts as the owner.
  const deleted = prepared("SELECT id, row FROM deleted_videos").iterate();
  for (const { id, row } of deleted as Iterable<{ id: string; row: string }>) {
    claim(claims, id, JSON.parse(row) as NamedFiles);
  }
  for await (const { id, ...row } of rowsWithFiles()) claim(claims, id, row);
  const others = await database()
    .selectFrom("video_files")
    .selectAll()
    .where("state", "!=", "removed")
    .execute();
  for (const { id, ...row } of others) {
    claim(claims, id, row);
    // A trimmed version's file is moved into the bucket before its row references it.
    const cut = row.video_url === "" ? trimBasePath(row) : undefined;
    if (cut) claimUrl(claims, id, mediaUrl("videos", `${cut}.mp4`), false);
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

/** Returns the id of the video, or of the row in `video_files`, to which a bucket entry belongs. */
export function ownerOf(
  entry: MediaName & { isFolder: boolean },
  claims: Claims,
): string | undefined {
  if (entry.isFolder) {
    const ofThumbnail = entry.bucket === "thumbnails" && claims.thumbnailBasePaths.get(entry.path);
    return claims.basePaths.get(entry.path) ?? (ofThumbnail || undefined);
  }
  return claims.files.get(`${entry.bucket}/${entry.path}`);
}

/** Returns the id of the row in `videos` or `video_files` that currently references an entry. */
export function claimantOf({
  bucket,
  path,
  isFolder,
}: MediaName & { isFolder: boolean }): string | undefined {
  const url = mediaUrl(bucket, path);
  // The range from "{url}." up to, but not including, "{url}0" covers files whose names start with the folder's name
  // (".") and files in the folder ("/").
  const isNamed = (column: string) =>
    isFolder ? `${column} >= @url || '.' AND ${column} < @url || '0'` : `${column} = @url`;
  const names = ["videos", "video_files"].flatMap((table) =>
    ["video_url", "source_url", "thumbnail_url"].map(
      (column) => `SELECT id FROM ${table} WHERE ${isNamed(column)}`,
    ),
  );
  const imports = "SELECT video_id FROM imports WHERE finished_at IS NULL AND target = @path";
  const claimant = prepared<string>([...names, imports].join(" UNION ALL ")).pluck();
  return claimant.get({ url, path });
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

function claim(claims: Claims, id: string, row: NamedFiles): void {
  const captions = readCaptions(row.captions).map(({ url }) => url);
  const derived = [row.hls_url, row.storyboard_url, row.preview_url];
  for (const url of [row.video_url, row.source_url, ...derived, ...captions]) {
    claimUrl(claims, id, url, false);
  }
  claimUrl(claims, id, row.thumbnail_url, true);
  claimUrl(claims, id, row.generated_poster_url, true);
}

function claimUrl(claims: Claims, id: string, url: string | null, isThumbnail: boolean): void {
  const file = url ? parseMediaUrl(url) : undefined;
  if (!file) return;
  claims.files.set(`${file.bucket}/${file.path}`, id);
  const basePaths = isThumbnail ? claims.thumbnailBasePaths : claims.basePaths;
  basePaths.set(mediaBasePath(file.path), id);
}
