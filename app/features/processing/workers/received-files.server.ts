import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { hasFreeDiskSpace } from "~/media/files/disk.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { isOurs } from "../queue/queue.server";
import { receivedFolder } from "./leases.server";
import type { LeasedJob } from "./remote-jobs.server";

/** The files of a result: a picture of each size, and sounds; no playlist, which the site writes itself. */
const FILE_NAME = /^(?:[1-9]\d{1,3}p|sound-[1-9]\d?(?:-poor|-surround)?)\.mp4$/;
/** More than any film has. */
const MOST_FILES = 100;
/** Of one request: a line that breaks costs no more than that. */
const MOST_CHUNK_BYTES = 16 * 1024 ** 2;

const SITE_FULL = "The disk of the site is nearly full.";

export class TransferError extends Error {
  constructor(
    readonly status: 404 | 409 | 413 | 422 | 507,
    message: string,
    /** Of the file, so far: where the worker has to go on. */
    readonly bytes?: number,
  ) {
    super(message);
  }
}

/** Where the files of a result arrive. */
export function receivedFiles(job: LeasedJob): string {
  return path.join(receivedFolder(job), "received");
}

/** How much of each file has arrived, by its name. */
export async function receivedBytes(job: LeasedJob): Promise<Record<string, number>> {
  const folder = receivedFiles(job);
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map(async (name) => [name, (await stat(path.join(folder, name))).size]);
  return Object.fromEntries(await Promise.all(sizes));
}

/**
 * Writes the next part of a file of a result.
 *
 * @returns bytes of the file that are there now.
 * @throws {TransferError} for a name that no result has, a part that is not the next one, one that is too
 *   large, a disk that is nearly full, and a lease that has ended meanwhile.
 */
export async function receivePart(
  job: LeasedJob,
  name: string,
  offset: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<number> {
  if (!FILE_NAME.test(name)) throw new TransferError(422, "No file of a result has this name.");
  if (!(await hasFreeDiskSpace())) throw new TransferError(507, SITE_FULL);
  const folder = receivedFiles(job);
  const sizes = await receivedBytes(job);
  if (Object.keys(sizes).length >= MOST_FILES) throw new TransferError(422, "Too many files.");
  const size = sizes[name] ?? 0;
  if (offset !== size) throw new TransferError(409, "Another part comes next.", size);
  await mkdir(folder, { recursive: true });
  const file = await open(path.join(folder, name), size === 0 ? "w" : "r+");
  let end = offset;
  try {
    for await (const chunk of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      if (end + chunk.byteLength - offset > MOST_CHUNK_BYTES) {
        throw new TransferError(413, `A part has at most ${MOST_CHUNK_BYTES} bytes.`, end);
      }
      await file.write(chunk, 0, chunk.byteLength, end);
      end += chunk.byteLength;
    }
  } catch (error) {
    if (error instanceof TransferError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOSPC")
      throw new TransferError(507, SITE_FULL, end);
    // What has arrived stays: the worker goes on behind it.
    throw new TransferError(409, "The part was cut off.", end);
  } finally {
    await file.close();
  }
  // Its folder may have been removed while this was written.
  if (!isOurs(job)) {
    await removeTemporary(receivedFolder(job));
    throw new TransferError(409, "This job is no longer yours.");
  }
  return end;
}

/** SHA-256 of a file. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}
