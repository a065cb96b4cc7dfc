import fs from "node:fs/promises";
import { type MediaName, mediaBasePath } from "~/media/bucket.server";
import { enqueueRemovals, removeSoon, removeUnreferenced } from "~/media/files/removals.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { database, prepared, transaction } from "~db/client.server";

/**
 * The journal that makes an import crash-safe. The next import or start enqueues the removal of files that have no
 * row, and skips sources that are already imported.
 */

/** A file about to become a video. */
interface PlannedFile {
  source: string;
  bytes: number;
  modifiedMs: number;
  videoId: string;
  /** Inside the bucket videos. */
  target: string;
}

/** Sources, with size and time, whose videos are in the catalogue. */
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

/** What of a file changes when it is written to. */
export function fingerprint(bytes: number, modifiedMs: number): string {
  return `${bytes} ${modifiedMs}`;
}

/** Notes files before the first of them is touched. */
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

/** Forgets files that were announced and not imported. */
export async function withdraw(sources: string[]): Promise<void> {
  if (sources.length === 0) return;
  await database().deleteFrom("imports").where("source", "in", sources).execute();
}

/**
 * Cleans up after an import that was killed: a file in the bucket without a row is removed, if its source is
 * still where it was, as it is also with `--move`. Where it is not, the journal may be of a backup that was made
 * during the import, and the file in the bucket is the only one.
 *
 * @returns how many there were.
 */
export async function recoverImports(now = Date.now()): Promise<number> {
  // In an older copy of the database, an import that has ended since is unfinished.
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
    // In one: an import of another machine, which is not seen here, may be about to write the row.
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

/** Removes a file from the buckets that was copied or linked there; its source is still there. */
export function rollBackFile(target: string): Promise<void> {
  return removeUnreferenced(filesOf(target), "discarded");
}

/** The file of an import, its thumbnail, and the folder that may have been created for it. */
function filesOf(target: string): MediaName[] {
  const base = mediaBasePath(target);
  return [
    { bucket: "videos", path: target },
    { bucket: "videos", path: base },
    { bucket: "thumbnails", path: `${base}.webp` },
  ];
}

/** A process that has been silent for so long has ended, whatever now has its number. */
const LONGEST_BATCH_MS = 60 * 60 * 1000;

/** Files that imports of other processes are moving just now: they have no rows yet. */
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

/** Whether another process is still moving a file that it has announced in `imports`. */
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
