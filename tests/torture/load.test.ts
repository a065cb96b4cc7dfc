import { describe, expect, it } from "vitest";
import { runLoad } from "./load/load";
import { isRising, percentileOf, trendOf } from "./load/trend";

const SHORT = {
  crowd: { viewers: 10, readers: 4, streams: 20, uploads: 1, pace: 0.1 },
  ...{
    videos: 1,
    steadyMs: 5_000,
    collectEvery: 2,
    disruptionMs: 2_000,
    recoveryMs: 500,
    diskMegabytes: 64,
  },
  // Other tests use the CPU as well, so only a long run checks how long pages take.
  isTimed: false,
};

it("serves a crowd of clients, even during disruptions", async () => {
  expect(await runLoad("npm test", SHORT)).toEqual([]);
}, 300_000);

describe("trendOf, isRising and percentileOf", () => {
  const SECOND_MS = 1_000;
  const noise = (index: number) => ((index * 7_919) % 13) - 6;
  const readings = (count: number, perSecond: number) =>
    Array.from({ length: count }, (_, index) => 1_000 + perSecond * index + noise(index));

  it("return the slope of a line and its margin of error", () => {
    const { perHour, margin } = trendOf(readings(1_800, 0.5), SECOND_MS);
    expect(perHour).toBeGreaterThan(1_800 - margin);
    expect(perHour).toBeLessThan(1_800 + margin);
    expect(margin).toBeLessThan(20);
  });

  it("detect a definite rise, but don't detect one in constant values or too few readings", () => {
    expect(isRising(trendOf(readings(1_800, 0.5), SECOND_MS), 1_000)).toBe(true);
    expect(isRising(trendOf(readings(1_800, 0.5), SECOND_MS), 2_000)).toBe(false);
    expect(isRising(trendOf(readings(1_800, 0), SECOND_MS), 10)).toBe(false);
    expect(isRising(trendOf(readings(30, 100), SECOND_MS), 10)).toBe(false);
  });

  it("ignore an outlier", () => {
    const outlier = readings(1_800, 0).map((value, index) => (index === 900 ? 50_000 : value));
    expect(isRising(trendOf(outlier, SECOND_MS), 10)).toBe(false);
  });

  it("return percentiles", () => {
    const values = Array.from({ length: 100 }, (_, index) => 99 - index);
    expect([percentileOf(values, 0.5), percentileOf(values, 0.99)]).toEqual([50, 99]);
  });
});
