import fs from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { bucketFile } from "~/media/bucket.server";
import {
  letGo,
  type ReservedSecond,
  reserveSecond,
  STAMPS_OF_A_SECOND,
  secondOf,
} from "~/media/intake/move-into-bucket.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { settings } from "~/server/settings.server";
import { sideBySide } from "~/shared/map-concurrently";
import { ImportError } from "./entry";

/** How a file comes from its folder into the bucket. */
export const IMPORT_MODES = ["copy", "move", "link"] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/**
 * Places for the files of a batch, at most 1,000: `{userId}/{stamp}` in the buckets, which nobody
 * else takes until they are freed.
 */
export function placesFor(userId: string) {
  const kept: string[] = [];
  let second: Promise<ReservedSecond> | undefined;
  let taken = 0;

  return {
    /** The place a file had in an earlier system when that is free, else a new one. */
    async reserve(wanted: string | undefined): Promise<string> {
      if (wanted && (await keepPlace(wanted))) {
        kept.push(wanted);
        return wanted;
      }
      const number = taken++;
      if (number >= STAMPS_OF_A_SECOND) throw new Error("A batch has at most 1,000 files.");
      second ??= reserveSecond(userId);
      const { first } = await second;
      return `${userId}/${first + number}`;
    },
    /** By now rows name what stands in the places, or nothing stands there. */
    async free(): Promise<void> {
      await sideBySide(kept, async (stem) => {
        const [user = "", stamp = ""] = stem.split("/");
        await letGo(user, stamp);
      });
      await (await second)?.free();
    },
  };
}

/** Whether the place was free, and now is ours. */
async function keepPlace(stem: string): Promise<boolean> {
  const folder = bucketFile("videos", stem);
  if (!folder) return false;
  const stamp = path.basename(stem);
  // The folder of a second is there while an import has all of it.
  const second = path.basename(secondOf(stem));
  await fs.mkdir(path.dirname(folder), { recursive: true });
  const taken = (await fs.readdir(path.dirname(folder))).some(
    (name) => name === stamp || name === second || name.startsWith(`${stamp}.`),
  );
  if (taken) return false;
  // Whoever comes at the same time finds the folder there.
  return fs.mkdir(folder).then(
    () => true,
    () => false,
  );
}

/** Codes of a file system that knows no hard links, or of another disk. */
const NO_LINK = ["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"];

/**
 * Brings a file to its place in the bucket of the videos, never over one that stands there. The
 * source stays; of a move it is removed when the row stands.
 *
 * @throws {ImportError} for a link that cannot be made.
 */
export async function placeVideo(mode: ImportMode, from: string, target: string): Promise<void> {
  const to = path.join(settings().uploadsDir, "videos", target);
  if (mode !== "copy") {
    const code = await fs.link(from, to).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code ?? "unknown",
    );
    if (code === undefined) return;
    if (!NO_LINK.includes(code)) throw Object.assign(new Error(`link: ${code}`), { code });
    if (mode === "link") {
      throw new ImportError("it cannot be linked: it is on another disk than the uploads.");
    }
  }
  await fs.copyFile(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
}

export interface PlacedPicture {
  bytes: number;
  colors: string | undefined;
}

/** Re-encodes a picture into the bucket of the thumbnails, beside its video by name. */
export async function placePicture(picture: string, stem: string): Promise<PlacedPicture> {
  const to = path.join(settings().uploadsDir, "thumbnails", `${stem}.webp`);
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
  const { failed } = await execa("sync", ["-f", folder], { reject: false });
  if (failed) await execa("sync", { reject: false });
}
