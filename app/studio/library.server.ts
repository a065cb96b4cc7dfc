import fs from "node:fs/promises";
import path from "node:path";
import {
  BUCKETS,
  bucketFile,
  type MediaName,
  mediaStem,
  parseMediaUrl,
} from "~/media/bucket.server";
import { filesBeingImported } from "~/media/files-being-imported.server";
import { diskUsage, forgetFiles, recordFile } from "~/media/media-files.server";
import { secondOf } from "~/media/place.server";
import { settings } from "~/server/settings.server";
import { readCaptions } from "~db/captions";
import { database } from "~db/client.server";

/** A file, or a folder of derived files, in a bucket. */
export interface LibraryEntry extends MediaName {
  isFolder: boolean;
  bytes: number;
}

export interface LibraryReport {
  /** In the buckets, and of no video. */
  stray: LibraryEntry[];
  /** Named by a video, and not there. */
  missing: { videoId: string; title: string; url: string }[];
  /** Entries that belong to a video, and what they take. */
  entries: number;
  bytes: number;
}

interface Claims {
  /** `bucket/path` of the files that rows name, with the video's id. */
  files: Map<string, string>;
  /** `{userId}/{stamp}` of the videos, whose folders of derived files are theirs. */
  stems: Map<string, string>;
  named: { videoId: string; title: string; url: string; file: MediaName }[];
}

/**
 * Compares the buckets with the catalogue, and corrects the running figure of what they take on disk.
 * It removes nothing, and may run beside the server.
 */
export async function checkLibrary(): Promise<LibraryReport> {
  const claims = await readClaims();
  const report: LibraryReport = { stray: [], missing: [], entries: 0, bytes: 0 };
  const found = new Set<string>();
  for await (const entry of entries()) {
    const key = `${entry.bucket}/${entry.path}`;
    const videoId = ownerOf(entry, claims);
    found.add(key);
    if (videoId === undefined) report.stray.push(entry);
    report.entries += 1;
    report.bytes += entry.bytes;
    const { bucket, bytes, isFolder } = entry;
    const kind = isFolder ? "derived" : bucket === "videos" ? "video" : "thumbnail";
    await recordFile({ bucket, path: entry.path, videoId: videoId ?? null, kind, bytes });
  }
  await forgetAbsent(found);
  await correctFigure();
  for (const { file, ...named } of claims.named) {
    const at = bucketFile(file.bucket, file.path);
    const isThere = at && (await fs.stat(at).catch(() => undefined));
    if (!isThere) report.missing.push(named);
  }
  return report;
}

/**
 * Removes what belongs to no video. Asks the catalogue once more first: an upload that was just being
 * published has its row by now.
 *
 * @returns what was removed.
 */
export async function removeStray(stray: readonly LibraryEntry[]): Promise<LibraryEntry[]> {
  const claims = await readClaims();
  const gone = stray.filter((entry) => ownerOf(entry, claims) === undefined);
  for (const entry of gone) {
    const at = bucketFile(entry.bucket, entry.path);
    if (at) await fs.rm(at, { recursive: true, force: true });
  }
  await forgetFiles(gone);
  return gone;
}

async function readClaims(): Promise<Claims> {
  const claims: Claims = { files: new Map(), stems: new Map(), named: [] };
  const rows = await database()
    .selectFrom("videos")
    .select(["id", "title", "video_url", "source_url", "thumbnail_url"])
    .select(["hls_url", "storyboard_url", "preview_url", "captions"])
    .execute();
  for (const { id, title, captions, ...row } of rows) {
    for (const url of [row.video_url, row.source_url, row.thumbnail_url]) {
      const file = url ? parseMediaUrl(url) : undefined;
      if (!url || !file) continue;
      claims.files.set(`${file.bucket}/${file.path}`, id);
      if (url !== row.thumbnail_url) claims.stems.set(mediaStem(file.path), id);
      claims.named.push({ videoId: id, title, url, file });
    }
    const derived = [row.hls_url, row.storyboard_url, row.preview_url];
    for (const url of [...derived, ...readCaptions(captions).map(({ url }) => url)]) {
      const file = url ? parseMediaUrl(url) : undefined;
      if (url && file) claims.named.push({ videoId: id, title, url, file });
    }
  }
  for (const { videoId, target } of await filesBeingImported()) {
    const stem = mediaStem(target);
    claims.files.set(`videos/${target}`, videoId);
    claims.files.set(`thumbnails/${stem}.webp`, videoId);
    claims.stems.set(stem, videoId);
    claims.stems.set(secondOf(stem), videoId);
  }
  return claims;
}

function ownerOf(entry: LibraryEntry, claims: Claims): string | undefined {
  if (entry.isFolder) return claims.stems.get(entry.path);
  return claims.files.get(`${entry.bucket}/${entry.path}`);
}

/** What stands in `{bucket}/{userId}/`. */
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

/** Triggers keep the figure; whatever it had become, this is what it should be. */
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

async function forgetAbsent(found: ReadonlySet<string>): Promise<void> {
  const recorded = await database().selectFrom("media_files").select(["bucket", "path"]).execute();
  for (const file of recorded) {
    const [user = "", name = ""] = file.path.split("/");
    // What stands deeper counts as a part of its folder.
    const isOwnEntry = file.path === `${user}/${name}`;
    if (isOwnEntry && found.has(`${file.bucket}/${file.path}`)) continue;
    await database()
      .deleteFrom("media_files")
      .where("bucket", "=", file.bucket)
      .where("path", "=", file.path)
      .execute();
  }
}
