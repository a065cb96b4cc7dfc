import { mkdir, statfs } from "node:fs/promises";
import { settings } from "~/platform/settings.server";
import { temporaryFolder } from "./temporary-files.server";

/** The queue leaves this much for uploads, the database and its log. */
const RESERVE_BYTES = 1024 ** 3;
/** On a small disk, this share of it. */
const RESERVE_SHARE = 0.05;

/** Begins the name of a job's folder among the temporary files. */
export const WORK_PREFIX = "encode-";

/** What is free on the disk of the uploads, and what the queue leaves free of it. */
export async function diskFigures(): Promise<{ freeBytes: number; reserveBytes: number }> {
  await mkdir(temporaryFolder(), { recursive: true });
  const { bavail, blocks, bsize } = await statfs(temporaryFolder());
  const reserveBytes =
    settings().encoderFreeBytes ?? Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
  return { freeBytes: bavail * bsize, reserveBytes };
}

/** Whether there is room to make things; when there is not, the queue waits. */
export async function hasFreeDiskSpace(): Promise<boolean> {
  const { freeBytes, reserveBytes } = await diskFigures();
  return freeBytes > reserveBytes;
}
