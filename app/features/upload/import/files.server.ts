import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { bucketFile } from "~/media/bucket.server";
import { withTemporaryPath } from "~/media/files/temporary-files.server";
import {
  type ReservedSecond,
  releaseUploadId,
  reserveSecond,
  secondOf,
  UPLOAD_IDS_PER_SECOND,
} from "~/media/intake/move-into-bucket.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { probe } from "~/media/probe/probe.server";
import { runCommand } from "~/platform/child-process.server";
import { settings } from "~/platform/settings.server";
import type { CutOff } from "~/shared/cut-off";
import { mapConcurrently } from "~/shared/map-concurrently";
import { move, needsCopy } from "~/shared/move-files.server";
import { ImportError } from "./table.server";

const READ_BYTES = 1024 * 1024;

interface HashedFile {
  /** Hexadecimal. */
  sha256: string;
  /** The digest in hexadecimal; computed only on request. */
  md5?: string;
  /** The first MiB of the file. */
  head: Buffer;
}

/**
 * Computes a file's digests in a single pass.
 *
 * @param onBytes called with the length of each chunk.
 */
export async function hashFile(
  file: string,
  onBytes: (length: number) => void,
  { signal, withMd5 = false }: { signal?: AbortSignal; withMd5?: boolean } = {},
): Promise<HashedFile> {
  const hash = createHash("sha256");
  const md5 = withMd5 ? createHash("md5") : undefined;
  let head: Buffer | undefined;
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES, signal })) {
    head ??= chunk as Buffer;
    hash.update(chunk as Buffer);
    md5?.update(chunk as Buffer);
    onBytes((chunk as Buffer).length);
  }
  return {
    sha256: hash.digest("hex"),
    ...(md5 && { md5: md5.digest("hex") }),
    head: head ?? Buffer.alloc(0),
  };
}

/** The result of examining a file. */
export interface InspectedFile {
  extension: string;
  durationSeconds?: number;
  cutOff?: CutOff;
  playable: boolean;
}

/**
 * Probes a file in the same way as an upload, but doesn't decode a frame if every browser can play the file. For small
 * files, this takes half as long.
 *
 * @param extension the extension determined from the file's first bytes, see videoExtension().
 * @throws {RefusedFileError} if ffprobe can't read it as a video.
 */
export async function inspectFile(file: string, extension: string): Promise<InspectedFile> {
  const found = await probe(file, { decode: "unplayable" });
  if (!found) return { extension, playable: true };
  const { durationSeconds, cutOff, playable } = found;
  return { extension, durationSeconds, playable, ...(cutOff && { cutOff }) };
}

/** How files are transferred from their folder to the bucket. */
const IMPORT_MODES = ["copy", "move", "link"] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/**
 * Reserves base paths (`{userId}/{uploadId}` in the buckets) for a batch of at most 1,000 files until they are
 * released.
 */
export function reserveBasePaths(userId: string) {
  const kept: string[] = [];
  let second: Promise<ReservedSecond> | undefined;
  let taken = 0;

  return {
    /** Returns the base path of the earlier system if it is free, or else a new one. */
    async reserve(wanted: string | undefined): Promise<string> {
      if (wanted && (await reserveFreeBasePath(wanted))) {
        kept.push(wanted);
        return wanted;
      }
      const number = taken++;
      if (number >= UPLOAD_IDS_PER_SECOND) throw new Error("A batch can have up to 1,000 files.");
      second ??= reserveSecond(userId);
      const { first } = await second;
      return `${userId}/${first + number}`;
    },
    /** Releases base paths once rows refer to their files or the files have been removed. */
    async free(): Promise<void> {
      await mapConcurrently(kept, async (basePath) => {
        const [user = "", uploadId = ""] = basePath.split("/");
        await releaseUploadId(user, uploadId);
      });
      await (await second)?.free();
    },
  };
}

/** Reserves a base path. Returns false if it is already in use. */
async function reserveFreeBasePath(basePath: string): Promise<boolean> {
  const folder = bucketFile("videos", basePath);
  if (!folder) return false;
  const uploadId = path.basename(basePath);
  // While an import has reserved all ids of a second, a folder named after that second exists.
  const second = path.basename(secondOf(basePath));
  await fs.mkdir(path.dirname(folder), { recursive: true });
  const taken = (await fs.readdir(path.dirname(folder))).some(
    (name) => name === uploadId || name === second || name.startsWith(`${uploadId}.`),
  );
  if (taken) return false;
  // Only one of several concurrent reservations can create the folder.
  return fs.mkdir(folder).then(
    () => true,
    () => false,
  );
}

/**
 * Copies or links a file into the `videos` bucket, never overwriting an existing file. Keeps the source file; if files
 * are to be moved, the source is removed once the row has been committed.
 *
 * @throws {ImportError} if the file can't be linked.
 */
export async function moveVideo(mode: ImportMode, from: string, target: string): Promise<void> {
  const to = path.join(settings().uploadsDir, "videos", target);
  if (mode !== "copy") {
    const code = await fs.link(from, to).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code ?? "unknown",
    );
    if (code === undefined) return;
    if (!needsCopy(code)) throw Object.assign(new Error(`link: ${code}`), { code });
    if (mode === "link") {
      throw new ImportError(
        "it can't be linked, because it is on a different disk than the uploads.",
      );
    }
  }
  await fs.copyFile(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
}

/** Replaces a hard link with a copy, so that changes to the file don't affect the source. */
export async function copyInsteadOfLink(from: string, target: string): Promise<void> {
  const to = path.join(settings().uploadsDir, "videos", target);
  await withTemporaryPath(async (copy) => {
    await fs.copyFile(from, copy, fs.constants.COPYFILE_FICLONE);
    await move(copy, to);
  });
}

export interface EncodedThumbnail {
  bytes: number;
  colors: string | undefined;
}

/** Re-encodes an image and stores it in the `thumbnails` bucket, under its video's base path. */
export async function encodeImportedThumbnail(
  image: string,
  basePath: string,
): Promise<EncodedThumbnail> {
  const to = path.join(settings().uploadsDir, "thumbnails", `${basePath}.webp`);
  await fs.mkdir(path.dirname(to), { recursive: true });
  const { file, colors } = await encodeThumbnail(image);
  await fs.rename(file, to);
  return { bytes: (await fs.stat(to)).size, colors };
}

/**
 * Flushes all pending writes on the uploads disk together, since flushing a thousand small files one by one takes
 * longer than copying them.
 */
export async function flushUploads(): Promise<void> {
  const folder = path.resolve(settings().uploadsDir);
  const { failed } = await runCommand("sync", ["-f", folder], { reject: false });
  if (failed) await runCommand("sync", [], { reject: false });
}
