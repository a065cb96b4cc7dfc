import fs from "node:fs/promises";
import { type MediaName, mediaBasePath } from "~/media/bucket.server";
import { enqueueRemovals, removeSoon, removeUnreferenced } from "~/media/files/removals.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { database, prepared, transaction } from "~db/client.server";

/**
 * The journal that makes imports crash-safe. The next import or startup enqueues the removal of files that have no row,
 * and skips sources that have already been imported.
 */

/** A file that is about to become a video. */
interface PlannedFile {
  source: string;
  bytes: number;
  modifiedMs: number;
  videoId: string;
  /** The path in the `videos` bucket. */
  target: string;
}

/** Returns the sources whose videos are in the catalogue, with their sizes and modification times. */
export async function findImported(sources: string[]): Promise<Map<string, string>> {
  const rows = await database()
    .selectFrom("imports")
    .innerJoin("videos", "videos.id", "imports.video_id")
    .select(["imports.source", "imports.bytes", "imports.modified_ms"])
    .where("imports.source", "in", sources)
    .where("imports.finished_at", "is not", null)
    .execute();
  return new Map(rows.map((row) => [row.source, fingerprint(row.bytes, row.modified_ms)]));
}

/** Returns the properties of a file that change when the file is modified. */
export function fingerprint(bytes: number, modifiedMs: number): string {
  return `${bytes} ${modifiedMs}`;
}

/** Records a batch's files before any of them is changed. */
export async function announce(files: PlannedFile[]): Promise<void> {
  if (files.length === 0) return;
  await database()
    .replaceInto("imports")
    .values(
      files.map((file) => ({
        source: file.source,
        bytes: file.bytes,
        modified_ms: file.modifiedMs,
        video_id: file.videoId,
        target: file.target,
        process: process.pid,
        finished_at: null,
      })),
    )
    .execute();
}

/** Deletes the records of files that weren't imported. */
export async function withdraw(sources: string[]): Promise<void> {
  if (sources.length === 0) return;
  await database().deleteFrom("imports").where("source", "in", sources).execute();
}

/**
 * Cleans up after a killed import: removes files in the bucket that have no row if their source still exists, which is
 * the case even with `--move`. If the source is gone, the journal may come from a backup that was taken during the
 * import, and the file in the bucket may be the only copy.
 *
 * @returns the number of removed files.
 */
export async function recoverImports(now = Date.now()): Promise<number> {
  // In a restored database, an import may be recorded as unfinished although it finished after the backup.
  if (await removalsPausedBy()) return 0;
  const rows = await database()
    .selectFrom("imports")
    .select(["source", "bytes", "modified_ms", "target", "process", "started_at"])
    .where("finished_at", "is", null)
    .execute();
  const left = rows.filter((row) => !isImporting(row, now));
  for (const { source, bytes, modified_ms, target } of left) {
    const stat = await fs.stat(source).catch(() => undefined);
    const hasSource =
      stat && fingerprint(stat.size, stat.mtimeMs) === fingerprint(bytes, modified_ms);
    // Runs in one transaction, since an import on another machine may be about to insert the row.
    await transaction(() => {
      const isLeft = prepared("DELETE FROM imports WHERE source = ? AND finished_at IS NULL");
      if (isLeft.run(source).changes > 0 && hasSource) {
        enqueueRemovals(filesOf(target), { reason: "discarded" });
      }
    });
  }
  removeSoon();
  return left.length;
}

/** Removes a file that was copied or linked into the buckets, and whose source still exists. */
export function rollBackFile(target: string): Promise<void> {
  return removeUnreferenced(filesOf(target), "discarded");
}

/** Returns the paths of the imported file, its thumbnail, and the folder that may have been created for them. */
function filesOf(target: string): MediaName[] {
  const base = mediaBasePath(target);
  return [
    { bucket: "videos", path: target },
    { bucket: "videos", path: base },
    { bucket: "thumbnails", path: `${base}.webp` },
  ];
}

/** A process that hasn't sent a heartbeat for this long is considered dead, even if another process now has its pid. */
const LONGEST_BATCH_MS = 60 * 60 * 1000;

/** Returns the files that imports in other processes are currently moving; these files have no rows yet. */
export async function filesBeingImported(
  now = Date.now(),
): Promise<Pick<PlannedFile, "videoId" | "target">[]> {
  const rows = await database()
    .selectFrom("imports")
    .select(["video_id", "target", "process", "started_at"])
    .where("finished_at", "is", null)
    .execute();
  return rows
    .filter((row) => isImporting(row, now))
    .map(({ video_id, target }) => ({ videoId: video_id, target }));
}

/** Returns whether another process is still moving a file that it has recorded in `imports`. */
function isImporting(row: { process: number; started_at: string }, now: number): boolean {
  return isRunning(row.process) && now - Date.parse(row.started_at) <= LONGEST_BATCH_MS;
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
