import fs from "node:fs/promises";
import path from "node:path";
import { BUCKETS, type Bucket, bucketFile, type MediaName } from "~/media/bucket.server";
import { diskUsage } from "~/media/media-files.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { settings } from "~/platform/settings.server";
import { createYielder } from "~/shared/event-loop";
import { database, prepared } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import { every } from "~db/runtime.server";
import {
  correctRecord,
  deleteRecordUnlessChanged,
  isArriving,
  type LibraryEntry,
  listing,
  type RecordedFile,
} from "./check-library.server";
import { claimantOf } from "./claims.server";

/**
 * Records files that other tools add to the buckets or remove from them while the site is running, so that the sizes
 * shown in the studio are at most a minute old. A folder's modification time shows whether an entry was added or
 * removed, so checking an unchanged library takes one `stat` call per uploader.
 */

const CHECK_EVERY_MS = 30_000;
/**
 * Limits the checks to a twentieth of the total time, because a large folder must be read again at every check while it
 * receives uploads.
 */
const MIN_REST_RATIO = 20;
/** A file that was modified within this time may still be growing. */
const GROWING_MS = 60_000;
/** Two changes within the resolution of a file system's clock result in the same modification time. */
const CLOCK_RESOLUTION_MS = 2_000;
const NAMES_AT_ONCE = 500;

/** The state of the buckets after the previous check. */
export interface SeenFiles {
  /** The modification times of the `{bucket}/{userId}` folders. */
  folders: Map<string, number>;
  /** The entries that will be measured again at the next check. */
  growing: Entry[];
  /** The folders that couldn't be read, so that each failure is logged only once. */
  unreadable: Set<string>;
}

type Entry = Pick<LibraryEntry, "bucket" | "path" | "isFolder">;

export function createSeenFiles(): SeenFiles {
  return { folders: new Map(), growing: [], unreadable: new Set() };
}

export function startTrackingFiles(): void {
  const seen = createSeenFiles();
  let restUntil = 0;
  const check = async () => {
    const began = performance.now();
    if (began < restUntil) return;
    try {
      await trackFiles(seen);
    } finally {
      const now = performance.now();
      restUntil = now + MIN_REST_RATIO * (now - began);
    }
  };
  every(CHECK_EVERY_MS, "check for files of other tools", check);
}

/** Records what has changed since the previous check. */
export async function trackFiles(seen: SeenFiles, now = Date.now()): Promise<void> {
  const pausedBy = await removalsPausedBy();
  // Another site's files must not be recorded as this site's files.
  if (pausedBy === "other-database") return;
  const growing = seen.growing;
  seen.growing = [];
  for (const entry of growing) await measure(entry, seen, now);
  for (const bucket of BUCKETS) {
    for (const user of await listing(path.join(settings().uploadsDir, bucket))) {
      if (!user.isDirectory()) continue;
      const folder = path.join(settings().uploadsDir, bucket, user.name);
      try {
        const { mtimeMs } = await fs.stat(folder);
        if (seen.folders.get(folder) === mtimeMs) continue;
        // At the next startup, the records show which files should exist.
        await compare(bucket, user.name, seen, { now, forgets: !pausedBy });
        if (now - mtimeMs > CLOCK_RESOLUTION_MS) seen.folders.set(folder, mtimeMs);
      } catch (error) {
        if (!seen.unreadable.has(folder)) console.error(`Could not read ${folder}:`, error);
        seen.unreadable.add(folder);
      }
    }
  }
  await claimUnowned();
}

/** Records a folder's entries that have no record yet, and deletes the records of entries that no longer exist. */
async function compare(
  bucket: Bucket,
  user: string,
  seen: SeenFiles,
  { now, forgets }: { now: number; forgets: boolean },
): Promise<void> {
  const yieldIfDue = createYielder();
  const recorded = new Set<string>();
  const next = prepared<string>(
    // "0" is the character after "/", so the range covers everything in the folder.
    `SELECT path FROM media_files WHERE bucket = ? AND path > ? AND path < ? || '0'
     ORDER BY path LIMIT ${NAMES_AT_ONCE}`,
  ).pluck();
  for (let after: string | undefined = `${user}/`; after; await yieldIfDue()) {
    const paths = next.all(bucket, after, user);
    for (const name of paths) recorded.add(name);
    after = paths.at(-1);
  }
  for await (const entry of await fs.opendir(path.join(settings().uploadsDir, bucket, user))) {
    if (entry.name.startsWith(".")) continue;
    const name = `${user}/${entry.name}`;
    if (!recorded.delete(name)) {
      await measure({ bucket, path: name, isFolder: entry.isDirectory() }, seen, now);
    }
  }
  if (!forgets) return;
  for (const name of recorded) {
    const record = recordOf({ bucket, path: name });
    if (record) await deleteRecordUnlessChanged(record);
    await yieldIfDue();
  }
}

function recordOf({ bucket, path }: MediaName): RecordedFile | undefined {
  const query = database().selectFrom("media_files").selectAll();
  return firstRow(query.where("bucket", "=", bucket).where("path", "=", path));
}

/** Records an entry's size, and notes whether the entry must be measured again. */
async function measure(entry: Entry, seen: SeenFiles, now: number): Promise<void> {
  const file = bucketFile(entry.bucket, entry.path);
  if (!file) return;
  const before = recordOf(entry);
  const stat = await fs.lstat(file).catch(() => undefined);
  if (!stat) return;
  const measured = { ...entry, bytes: await diskUsage(file) };
  // An upload in progress records its file itself. The entry is measured again, in case the upload is canceled or
  // fails.
  const isUpload = await isArriving(measured);
  const owner = claimantOf(entry) ?? before?.video_id ?? null;
  if (!isUpload) await correctRecord(measured, owner, before);
  if (isUpload || now - stat.mtimeMs < GROWING_MS) seen.growing.push(entry);
}

/** Assigns recorded files to the videos whose rows have started to reference them. */
async function claimUnowned(): Promise<void> {
  const yieldIfDue = createYielder();
  // When a library is copied to the site, its files may arrive before the rows that reference them.
  const next = prepared<RecordedFile>(
    `SELECT * FROM media_files
     WHERE video_id IS NULL AND (bucket, path) > (?, ?) ORDER BY bucket, path LIMIT ${NAMES_AT_ONCE}`,
  );
  let last: { bucket: string; path: string } | undefined = { bucket: "", path: "" };
  while (last) {
    const records = next.all(last.bucket, last.path);
    for (const record of records) {
      const entry = { ...record, isFolder: record.kind === "derived" };
      const videoId = claimantOf(entry);
      if (videoId) await correctRecord(entry, videoId, record);
      await yieldIfDue();
    }
    last = records.at(-1);
  }
}
