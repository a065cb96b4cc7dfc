import { statfs } from "node:fs/promises";
import { counts } from "~/platform/counts.server";
import { onRequestsDone } from "~/platform/node/shutdown.server";
import { settings } from "~/platform/settings.server";
import type { PeriodDays } from "~/shared/statistics-address";
import { prepared, transaction, tryWriteTransaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import { type DiskDay, forecastDisk } from "./disk-forecast";
import { periodOf } from "./statistics.server";

/** Each record replaces the previous record for the same day. */
const RECORD_EVERY_MS = 60 * 60_000;
const RETENTION_DAYS = 366;
const DAY_MS = 86_400_000;

export type DiskStatistics = NonNullable<Awaited<ReturnType<typeof readDiskStatistics>>>;

/**
 * Returns the disk usage and the time when the disk will be full, or undefined if the system doesn't report the usage.
 */
export async function readDiskStatistics(now = Date.now()) {
  const space = await diskSpace();
  return space && { ...space, forecast: forecastDisk(readDiskDays(), space.free, dayOf(now)) };
}

export function readDiskDays(): DiskDay[] {
  return prepared<DiskDay>(
    "SELECT day, used_bytes AS used, free_bytes AS free FROM disk_days ORDER BY day",
  ).all();
}

/** Records the disk usage, replacing the record for the same day (UTC). */
export async function recordDisk(now = Date.now()): Promise<void> {
  const space = await diskSpace();
  if (!space) return;
  await transaction(() => {
    prepared(
      `INSERT INTO disk_days (day, used_bytes, free_bytes) VALUES (@day, @used, @free)
       ON CONFLICT DO UPDATE SET used_bytes = excluded.used_bytes, free_bytes = excluded.free_bytes`,
    ).run({ day: dayOf(now), ...space });
    prepared("DELETE FROM disk_days WHERE day < ?").run(dayOf(now - RETENTION_DAYS * DAY_MS));
  });
}

/** Starts recording the disk usage: once immediately, and then every hour. Nothing else writes these records. */
export function startDiskRecords(): void {
  every(RECORD_EVERY_MS, "record the disk usage", () => recordDisk(), { firstMs: 0 });
}

/** Returns the used and free bytes on the uploads' file system. */
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

const WRITE_EVERY_MS = 60_000;

/** The number of bytes sent by this process that are already recorded in the database. */
const transfer = processState("recorded transfer", () => ({ recordedBytes: 0 }));

/**
 * Adds the bytes sent since the last call to the day's total. Nothing about the recipients is recorded. If another
 * process is writing, the bytes are added at the next call.
 */
export function recordTransfer(now = Date.now()): void {
  const state = transfer();
  const total = counts().mediaBytes;
  const bytes = total - state.recordedBytes;
  if (bytes <= 0) return;
  const isWritten = tryWriteTransaction(() => {
    prepared(
      `INSERT INTO transfer_days (day, bytes) VALUES (@day, @bytes)
       ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
    ).run({ day: dayOf(now), bytes });
  });
  if (isWritten) state.recordedBytes = total;
}

/** Starts recording the number of bytes sent, every minute and before the process exits. */
export function startTransferRecords(): void {
  every(WRITE_EVERY_MS, "record the transfer", () => recordTransfer());
  onRequestsDone(() => recordTransfer());
}

/** Returns the bytes sent, for the statistics page: on each day of the period, and in the current month. */
export function readTransfer(period: PeriodDays, now = Date.now()) {
  // Writes the bytes that have only been counted in memory so far, so that they are included.
  recordTransfer(now);
  const all = periodOf(period, now);
  const bytes = new Map(readTransferDays(all[0]).map((each) => [each.day, each.bytes]));
  return {
    days: all.map((day) => ({ day, bytes: bytes.get(day) ?? 0 })),
    month: readTransferMonth(now),
  };
}

/** Returns the recorded days starting with `from`, oldest first. */
export function readTransferDays(from = "") {
  return prepared<{
    day: string;
    bytes: number;
  }>("SELECT day, bytes FROM transfer_days WHERE day >= ? ORDER BY day").all(from);
}

/** Returns the number of bytes sent in the current month (UTC, YYYY-MM), and the budget if there is one. */
export function readTransferMonth(now = Date.now()) {
  const month = dayOf(now).slice(0, "YYYY-MM".length);
  const bytes = prepared<number>(
    "SELECT coalesce(sum(bytes), 0) FROM transfer_days WHERE day >= @from AND day <= @to",
  )
    .pluck()
    .get({ from: `${month}-01`, to: `${month}-31` })!;
  return { month, bytes, budget: settings().transferBudgetBytes };
}
