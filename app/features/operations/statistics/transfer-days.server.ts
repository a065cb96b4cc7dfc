import { counts } from "~/platform/counts.server";
import { onLastMoment } from "~/platform/node/shutdown.server";
import { settings } from "~/platform/settings.server";
import type { PeriodDays } from "~/shared/statistics-address";
import { prepared, tryWriteTransaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import { periodOf } from "./statistics.server";

const WRITE_EVERY_MS = 60_000;

/** What was sent on a day (UTC, YYYY-MM-DD). */
export interface TransferDay {
  day: string;
  bytes: number;
}

/** What was sent in the current month (UTC), and the budget, if there is one. */
export interface TransferMonth {
  /** YYYY-MM */
  month: string;
  bytes: number;
  budget?: number;
}

/** How much of what this process has sent is in the database. */
const transfer = processState("recorded transfer", () => ({ recordedBytes: 0 }));

/**
 * Adds what was sent since the last time to the total of the day: a number, and nothing of who received it. While
 * another process is writing, it is added the next time.
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

/** Records the transfer each minute, and before the process ends. */
export function startTransferRecords(): void {
  every(WRITE_EVERY_MS, "record the transfer", () => recordTransfer());
  onLastMoment(() => recordTransfer());
}

/** Returns what the statistics page shows: each day of the period, and the current month. */
export function readTransfer(period: PeriodDays, now = Date.now()) {
  // What was sent in this minute is in memory.
  recordTransfer(now);
  const all = periodOf(period, now);
  const bytes = new Map(readTransferDays(all[0]).map((each) => [each.day, each.bytes]));
  return {
    days: all.map((day): TransferDay => ({ day, bytes: bytes.get(day) ?? 0 })),
    month: readTransferMonth(now),
  };
}

/** Returns the days from `from` on that have a record, the oldest first. */
export function readTransferDays(from = ""): TransferDay[] {
  return prepared("SELECT day, bytes FROM transfer_days WHERE day >= ? ORDER BY day").all(
    from,
  ) as TransferDay[];
}

export function readTransferMonth(now = Date.now()): TransferMonth {
  const month = dayOf(now).slice(0, "YYYY-MM".length);
  const bytes = prepared(
    "SELECT coalesce(sum(bytes), 0) FROM transfer_days WHERE day >= @from AND day <= @to",
  )
    .pluck()
    .get({ from: `${month}-01`, to: `${month}-31` }) as number;
  const { transferBudgetBytes: budget } = settings();
  return { month, bytes, ...(budget !== undefined && { budget }) };
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
