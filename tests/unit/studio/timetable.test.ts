import { describe, expect, it } from "vitest";
import { dueNow, nextDue } from "~/features/operations/backups/backup-records.server";

const HOUR = 3_600_000;
const T = Date.parse("2026-01-31T03:00:00.000Z");

describe("the backup schedule", () => {
  it("starts immediately and continues at fixed intervals", () => {
    expect(dueNow(undefined, 24 * HOUR, T)).toBe(T);
    expect(nextDue(undefined, 24 * HOUR, T)).toBe(T);
    expect(dueNow(T, 24 * HOUR, T)).toBeUndefined();
    expect(dueNow(T, 24 * HOUR, T + 24 * HOUR - 1)).toBeUndefined();
    expect(nextDue(T, 24 * HOUR, T + 5)).toBe(T + 24 * HOUR);
  });

  it("doesn't drift even if every backup starts late", () => {
    let last = T;
    for (let day = 1; day <= 100; day++) {
      const late = T + day * 24 * HOUR + 15_000;
      last = dueNow(last, 24 * HOUR, late)!;
    }
    expect(last).toBe(T + 100 * 24 * HOUR);
  });

  it("runs one backup to make up for several missed ones", () => {
    const now = T + 75 * HOUR;
    const due = dueNow(T, 24 * HOUR, now)!;
    expect(due).toBe(T + 72 * HOUR);
    expect(dueNow(due, 24 * HOUR, now)).toBeUndefined();
    expect(nextDue(due, 24 * HOUR, now)).toBe(T + 96 * HOUR);
  });

  it("applies a new interval starting from the last backup", () => {
    expect(dueNow(T, 6 * HOUR, T + 7 * HOUR)).toBe(T + 6 * HOUR);
    expect(nextDue(T, 6 * HOUR, T + HOUR)).toBe(T + 6 * HOUR);
  });

  it("keeps running if the clock is set back by a year, and doesn't run twice if it is set back slightly", () => {
    expect(dueNow(T + 9_000 * HOUR, 24 * HOUR, T)).toBe(T);
    expect(dueNow(T + 1_000, 24 * HOUR, T)).toBeUndefined();
  });
});
