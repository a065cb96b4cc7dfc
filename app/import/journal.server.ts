import { renameSync, rmdirSync, rmSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { temporaryPath } from "~/media/intake/received-file.server";
import { isImporting } from "~/media/intake/running-imports.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { settings } from "~/server/settings.server";
import { database, prepared, writeTransaction } from "~db/client.server";

/**
 * What an import has imported and is about to, so that it can be killed at any moment: the next one
 * removes files that have no row yet, as does the next start, and does not read those again that have.
 */

/** A file about to become a video. */
export interface PlannedFile {
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
export async function announce(files: PlannedFile[], finished = false): Promise<void> {
  if (files.length === 0) return;
  const finishedAt = finished ? new Date().toISOString() : null;
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
        finished_at: finishedAt,
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
    const aside = await temporaryPath();
    // In one: an import of another machine, which is not seen here, may be about to write the row.
    await writeTransaction(() => {
      const isLeft = prepared("DELETE FROM imports WHERE source = ? AND finished_at IS NULL");
      if (isLeft.run(source).changes > 0 && hasSource) moveAside(target, aside);
    });
    await fs.rm(aside, { force: true });
  }
  return left.length;
}

/** Takes a film and its picture out of the buckets at once; to remove a large film takes longer. */
function moveAside(target: string, aside: string): void {
  const { film, picture, folder } = filesAt(target);
  try {
    renameSync(film, aside);
  } catch {
    // On another disk, or not there.
    rmSync(film, { force: true });
  }
  rmSync(picture, { force: true });
  try {
    rmdirSync(folder);
  } catch {
    // It is not there, or has what was made of a video.
  }
}

/** Removes a file from the buckets that was copied or linked there; its source is still there. */
export async function rollBackFile(target: string): Promise<void> {
  const { film, picture, folder } = filesAt(target);
  await fs.rm(film, { force: true });
  await fs.rm(picture, { force: true });
  await fs.rmdir(folder).catch(() => {});
}

function filesAt(target: string) {
  const basePath = target.replace(/\.\w+$/, "");
  const inUploads = (name: string) => path.resolve(settings().uploadsDir, name);
  return {
    film: inUploads(`videos/${target}`),
    picture: inUploads(`thumbnails/${basePath}.webp`),
    /** Reserves the upload id. */
    folder: inUploads(`videos/${basePath}`),
  };
}
