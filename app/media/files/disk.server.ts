import { mkdir, statfs } from "node:fs/promises";
import { settings } from "~/platform/settings.server";
import { temporaryFolder } from "./temporary-files.server";

/** How much free space the queue leaves for uploads, the database and its log. */
const RESERVE_BYTES = 1024 ** 3;
/** The fraction of the disk that the queue leaves free if the disk is small. */
const RESERVE_SHARE = 0.05;

/** The prefix for the names of job folders among the temporary files. */
export const WORK_PREFIX = "encode-";

/** Returns the free space on the uploads disk, and how much of it the queue leaves free. */
export async function diskFigures(): Promise<{ freeBytes: number; reserveBytes: number }> {
  await mkdir(temporaryFolder(), { recursive: true });
  const { bavail, blocks, bsize } = await statfs(temporaryFolder());
  const reserveBytes =
    settings().encoderFreeBytes ?? Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
  return { freeBytes: bavail * bsize, reserveBytes };
}

/** Returns whether there is enough disk space for jobs. If not, the queue waits. */
export async function hasFreeDiskSpace(): Promise<boolean> {
  const { freeBytes, reserveBytes } = await diskFigures();
  return freeBytes > reserveBytes;
}
