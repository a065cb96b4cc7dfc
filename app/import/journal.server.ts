import fs from "node:fs/promises";
import path from "node:path";
import { isImporting } from "~/media/intake/running-imports.server";
import { settings } from "~/server/settings.server";
import { database } from "~db/client.server";

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
  const rows = await database()
    .selectFrom("imports")
    .select(["source", "bytes", "modified_ms", "target", "process", "started_at"])
    .where("finished_at", "is", null)
    .execute();
  const left = rows.filter((row) => !isImporting(row, now));
  for (const { source, bytes, modified_ms, target } of left) {
    const stat = await fs.stat(source).catch(() => undefined);
    const announced = fingerprint(bytes, modified_ms);
    if (stat && fingerprint(stat.size, stat.mtimeMs) === announced) await rollBackFile(target);
  }
  await withdraw(left.map(({ source }) => source));
  return left.length;
}

/** Removes a file from the buckets that was copied or linked there; its source is still there. */
export async function rollBackFile(target: string): Promise<void> {
  const uploads = path.resolve(settings().uploadsDir);
  const basePath = target.replace(/\.\w+$/, "");
  await fs.rm(path.join(uploads, "videos", target), { force: true });
  await fs.rm(path.join(uploads, "thumbnails", `${basePath}.webp`), { force: true });
  await fs.rmdir(path.join(uploads, "videos", basePath)).catch(() => {});
}
