import { statfs } from "node:fs/promises";
import { settings } from "~/platform/settings.server";
import { prepared, transaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import { type DiskDay, type DiskForecast, forecastDisk } from "./disk-forecast";

/** A day's record is that of its last hour. */
const RECORD_EVERY_MS = 60 * 60_000;
const KEPT_DAYS = 366;
const DAY_MS = 86_400_000;

export interface DiskFigures {
  /** Bytes of the file system that has the uploads. */
  used: number;
  free: number;
  forecast: DiskForecast;
}

/** What the disk holds now, and when it will be full; undefined where the system does not say. */
export async function diskFigures(now = Date.now()): Promise<DiskFigures | undefined> {
  const space = await diskSpace();
  return space && { ...space, forecast: forecastDisk(readDiskDays(), space.free, dayOf(now)) };
}

export function readDiskDays(): DiskDay[] {
  return prepared(
    "SELECT day, used_bytes AS used, free_bytes AS free FROM disk_days ORDER BY day",
  ).all() as DiskDay[];
}

/** Records what the disk holds, in place of what was recorded on the same day (UTC). */
export async function recordDisk(now = Date.now()): Promise<void> {
  const space = await diskSpace();
  if (!space) return;
  await transaction(() => {
    prepared(
      `INSERT INTO disk_days (day, used_bytes, free_bytes) VALUES (@day, @used, @free)
       ON CONFLICT DO UPDATE SET used_bytes = excluded.used_bytes, free_bytes = excluded.free_bytes`,
    ).run({ day: dayOf(now), ...space });
    prepared("DELETE FROM disk_days WHERE day < ?").run(dayOf(now - KEPT_DAYS * DAY_MS));
  });
}

/** The one writer of the records: now, and every hour. */
export function startDiskRecords(): void {
  every(RECORD_EVERY_MS, "record the use of the disk", () => recordDisk(), { firstMs: 0 });
}

async function diskSpace(): Promise<{ used: number; free: number } | undefined> {
  try {
    const { bavail, bfree, blocks, bsize } = await statfs(settings().uploadsDir);
    return { used: (blocks - bfree) * bsize, free: bavail * bsize };
  } catch {
    return undefined;
  }
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
