import { describe, expect, it } from "vitest";
import {
  type DiskDay,
  forecastDisk,
  forecastMessage,
} from "~/features/operations/statistics/disk-forecast";

const GB = 1024 ** 3;
const TODAY = "2026-03-01";
const dayBefore = (days: number) =>
  new Date(Date.parse(TODAY) - days * 86_400_000).toISOString().slice(0, 10);

/** Returns one record for each of the given days, which are specified as the number of days before today. */
const records = (daysBefore: number[], used: (daysBefore: number) => number): DiskDay[] =>
  daysBefore.map((days) => ({ day: dayBefore(days), used: used(days), free: 100 * GB }));
const month = Array.from({ length: 30 }, (_, index) => 29 - index);
const message = (list: DiskDay[], free = 100 * GB) =>
  forecastMessage(forecastDisk(list, free, TODAY));

describe("the disk forecast", () => {
  it.each([
    ["2.5 GB a day", 2.5, "Full in about 40 days"],
    ["10 GB a day", 10, "Full in about 10 days"],
    ["a third of a GB a day", 1 / 3, "Full in about 300 days"],
    ["100 GB a day", 100, "Full in about 1 day"],
    ["200 GB a day", 200, "Full in less than a day"],
  ])("is correct for 100 GB of free space filling at %s", (_, growth, expected) => {
    expect(message(records(month, (days) => (500 - days * growth) * GB))).toBe(expected);
  });

  it.each([
    ["nothing changes", () => 500 * GB],
    ["files are deleted", (days: number) => (500 + days) * GB],
    ["usage grows by a few bytes a day", (days: number) => 500 * GB - days],
  ])("doesn't predict a full disk if %s", (_, used) => {
    expect(message(records(month, used))).toBe("Stable");
  });

  it("reports a full disk if no space is free, and is never negative", () => {
    const growing = records(month, (days) => (500 - days) * GB);
    expect(message(growing, 0)).toBe("Full in less than a day");
    expect(message(growing, -1)).toBe("Full in less than a day");
    expect(
      message(
        records(month, () => GB),
        0,
      ),
    ).toBe("Stable");
  });

  it.each([
    ["nothing is recorded", [], 7],
    ["the first record is from today", [0], 7],
    ["there are records of two days, an hour each", [1, 0], 6],
    ["there are records of six days", [5, 4, 3, 2, 1, 0], 2],
    ["the site was down between two records", [20, 0], 2],
  ])("is unknown if %s", (_, days, needed) => {
    const list = records(days, (before) => (500 - before * 50) * GB);
    expect(forecastDisk(list, 100 * GB, TODAY)).toEqual({ kind: "unknown", daysNeeded: needed });
  });

  it("reports how many more days of data are needed", () => {
    expect(message([])).toBe("Needs 7 more days of data");
    expect(message(records([6, 5, 4, 3, 2, 1, 0], () => 1))).toBe("Needs 1 more day of data");
  });

  it("requires at least four records spread over a week", () => {
    expect(message(records([7, 5, 2, 0], (days) => (500 - days * 5) * GB))).toBe(
      "Full in about 20 days",
    );
  });

  it("is barely affected by one day's temporary files", () => {
    const used = (days: number) => (500 - days * 2.5 + (days === 0 ? 20 : 0)) * GB;
    const forecast = forecastDisk(records(month, used), 100 * GB, TODAY);
    expect(forecast).toMatchObject({ kind: "filling" });
    const { days } = forecast as { days: number };
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(41);
  });

  it("ignores future records and those older than a month", () => {
    const then = records([300, 200, 100, 60], () => 0);
    const tomorrow = records([-1, -400], () => 900 * GB);
    expect(message([...then, ...records(month, () => 500 * GB), ...tomorrow])).toBe("Stable");
    expect(message([...then, ...tomorrow])).toBe("Needs 7 more days of data");
  });

  it("ignores records with an invalid date or value", () => {
    const broken = [
      { day: "never", used: GB, free: 0 },
      { day: dayBefore(2), used: Number.NaN, free: 0 },
    ];
    const growing = records(month, (days) => (500 - days * 2.5) * GB);
    expect(message([...broken, ...growing])).toBe("Full in about 40 days");
  });
});
