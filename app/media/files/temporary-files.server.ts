import { randomUUID } from "node:crypto";
import fs, { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { nameOfFile } from "../bucket.server";

/**
 * Files that are used only by the process that created them: in `uploads/tmp`, in a worker's folder, or in a stream
 * that is still being encoded. This module removes them; removals.server.ts removes all other files.
 */

/** Returns the folder in which jobs run and uploads are received. */
export function temporaryFolder(): string {
  return path.resolve(settings().uploadsDir, "tmp");
}

/** Returns an unused path in `uploads/tmp`. */
export async function temporaryPath(): Promise<string> {
  await mkdir(temporaryFolder(), { recursive: true });
  return path.join(temporaryFolder(), randomUUID());
}

/** Passes an unused path to `use`, and then removes whatever was created there. */
export async function withTemporaryPath<T>(use: (file: string) => T | Promise<T>): Promise<T> {
  const file = await temporaryPath();
  try {
    return await use(file);
  } finally {
    await removeTemporary(file);
  }
}

/**
 * Removes files or folders, and ignores those that don't exist.
 *
 * @throws if a file is in the uploads folder, but neither in `tmp` nor in a stream that is still being encoded. Such a
 *   file is kept.
 */
export async function removeTemporary(...files: readonly (string | undefined)[]): Promise<void> {
  for (const file of files) {
    if (file === undefined) continue;
    requireTemporary(path.resolve(file));
    await rm(file, { recursive: true, force: true });
  }
}

function requireTemporary(file: string): void {
  const uploads = path.resolve(settings().uploadsDir);
  const isIn = (folder: string) => !path.relative(folder, file).startsWith("..") && file !== folder;
  const isOfStream = [file, path.dirname(file)].some((folder) =>
    existsSync(path.join(folder, UNFINISHED)),
  );
  const isInBucket = nameOfFile(file)?.bucket === "videos";
  const containsUploads = !path.relative(file, uploads).startsWith("..");
  const isRemovable = isIn(uploads)
    ? isIn(temporaryFolder()) || (isInBucket && isOfStream)
    : !containsUploads;
  if (!isRemovable) throw new Error(`Refusing to remove ${file}: not a temporary file.`);
}

/**
 * The name of a marker file in a stream's folder. It is created before the first file is written and removed once all
 * files are complete, so that an incomplete stream can be recognized even if the encoder was killed.
 */
export const UNFINISHED = "unfinished";

/** Returns whether a file belongs to a stream that is still being encoded. */
export function isUnfinished(file: string): boolean {
  return STREAM_FILE.test(file) && fs.existsSync(path.join(path.dirname(file), UNFINISHED));
}

const STREAM_FILE = /\/hls-\w+\/[^/]+$/;
