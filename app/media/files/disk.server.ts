import { mkdir, statfs } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/platform/settings.server";

/** The queue leaves this much for uploads, the database and its log. */
const RESERVE_BYTES = 1024 ** 3;
/** On a small disk, this share of it. */
const RESERVE_SHARE = 0.05;

/** Begins the name of a job's folder there. */
export const WORK_PREFIX = "encode-";

/** The folder in which things are made, beside what is arriving. */
export function workFolder(): string {
  return path.join(path.resolve(settings().uploadsDir), "tmp");
}

/** What is free on the disk of the uploads, and what the queue leaves free of it. */
export async function diskFigures(): Promise<{ freeBytes: number; reserveBytes: number }> {
  await mkdir(workFolder(), { recursive: true });
  const { bavail, blocks, bsize } = await statfs(workFolder());
  const reserveBytes =
    settings().encoderFreeBytes ?? Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
  return { freeBytes: bavail * bsize, reserveBytes };
}

/** Whether there is room to make things; when there is not, the queue waits. */
export async function hasFreeDiskSpace(): Promise<boolean> {
  const { freeBytes, reserveBytes } = await diskFigures();
  return freeBytes > reserveBytes;
}
