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
import { runCommand } from "~/platform/child-process.server";
import { settings } from "~/platform/settings.server";
import { mapConcurrently } from "~/shared/map-concurrently";
import { move, needsCopy } from "~/shared/move-files.server";
import { ImportError } from "./entry";

/** How a file gets from its folder into the bucket. */
const IMPORT_MODES = ["copy", "move", "link"] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/**
 * Reserves base paths for the files of a batch, at most 1,000: `{userId}/{uploadId}` in the buckets,
 * which nobody else uses until they are freed.
 */
export function reserveBasePaths(userId: string) {
  const kept: string[] = [];
  let second: Promise<ReservedSecond> | undefined;
  let taken = 0;

  return {
    /** The base path of a file in an earlier system when that is free, else a new one. */
    async reserve(wanted: string | undefined): Promise<string> {
      if (wanted && (await reserveFreeBasePath(wanted))) {
        kept.push(wanted);
        return wanted;
      }
      const number = taken++;
      if (number >= UPLOAD_IDS_PER_SECOND) throw new Error("A batch has at most 1,000 files.");
      second ??= reserveSecond(userId);
      const { first } = await second;
      return `${userId}/${first + number}`;
    },
    /** Called when rows name the files at these base paths, or there are none. */
    async free(): Promise<void> {
      await mapConcurrently(kept, async (basePath) => {
        const [user = "", uploadId = ""] = basePath.split("/");
        await releaseUploadId(user, uploadId);
      });
      await (await second)?.free();
    },
  };
}

/** Reserves a base path; false when it is in use. */
async function reserveFreeBasePath(basePath: string): Promise<boolean> {
  const folder = bucketFile("videos", basePath);
  if (!folder) return false;
  const uploadId = path.basename(basePath);
  // The folder of a second is there while an import has all of it.
  const second = path.basename(secondOf(basePath));
  await fs.mkdir(path.dirname(folder), { recursive: true });
  const taken = (await fs.readdir(path.dirname(folder))).some(
    (name) => name === uploadId || name === second || name.startsWith(`${uploadId}.`),
  );
  if (taken) return false;
  // Whoever comes at the same time finds the folder there.
  return fs.mkdir(folder).then(
    () => true,
    () => false,
  );
}

/**
 * Copies or links a file into the bucket of the videos, never over an existing one. The source stays;
 * when it is to be moved, it is removed once its row is committed.
 *
 * @throws {ImportError} for a link that cannot be made.
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
      throw new ImportError("it cannot be linked: it is on another disk than the uploads.");
    }
  }
  await fs.copyFile(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
}

/** Puts a copy in place of a link: the file is to be changed, and its other name belongs to somebody else. */
export async function copyInsteadOfLink(from: string, target: string): Promise<void> {
  const to = path.join(settings().uploadsDir, "videos", target);
  await withTemporaryPath(async (copy) => {
    await fs.copyFile(from, copy, fs.constants.COPYFILE_FICLONE);
    await move(copy, to);
  });
}

export interface MovedPicture {
  bytes: number;
  colors: string | undefined;
}

/** Re-encodes a picture into the bucket of the thumbnails, beside its video by name. */
export async function movePicture(picture: string, basePath: string): Promise<MovedPicture> {
  const to = path.join(settings().uploadsDir, "thumbnails", `${basePath}.webp`);
  await fs.mkdir(path.dirname(to), { recursive: true });
  const { file, colors } = await encodeThumbnail(picture);
  await fs.rename(file, to);
  return { bytes: (await fs.stat(to)).size, colors };
}

/**
 * Writes what the system still holds back to the disk of the uploads, in one go: asking for each of
 * a thousand small files takes longer than copying them.
 */
export async function flushUploads(): Promise<void> {
  const folder = path.resolve(settings().uploadsDir);
  const { failed } = await runCommand("sync", ["-f", folder], { reject: false });
  if (failed) await runCommand("sync", [], { reject: false });
}
