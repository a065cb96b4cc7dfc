import { describe, expect, it } from "vitest";
import { carry } from "./load/load";
import { percentileOf, rises, trendOf } from "./load/steadiness";

const SHORT = {
  crowd: { viewers: 10, readers: 4, streams: 20, uploads: 1, pace: 0.1 },
  ...{
    videos: 1,
    steadyMs: 5_000,
    collectsEvery: 2,
    wrongMs: 2_000,
    afterMs: 500,
    diskMegabytes: 64,
  },
  // Others take the processors: how long pages take is the matter of the long form.
  isTimed: false,
};

it("carries a crowd, also while one thing after the other goes wrong around it", async () => {
  expect(await carry("npm test", SHORT)).toEqual([]);
}, 300_000);

describe("a figure over time", () => {
  const SECOND_MS = 1_000;
  const noise = (index: number) => ((index * 7_919) % 13) - 6;
  const readings = (count: number, perSecond: number) =>
    Array.from({ length: count }, (_, index) => 1_000 + perSecond * index + noise(index));

  it("has the slope of its line, and what it may be off by", () => {
    const { perHour, offBy } = trendOf(readings(1_800, 0.5), SECOND_MS);
    expect(perHour).toBeGreaterThan(1_800 - offBy);
    expect(perHour).toBeLessThan(1_800 + offBy);
    expect(offBy).toBeLessThan(20);
  });

  it("rises where it surely does, and not where it stays, or is not known for long enough", () => {
    expect(rises(trendOf(readings(1_800, 0.5), SECOND_MS), 1_000)).toBe(true);
    expect(rises(trendOf(readings(1_800, 0.5), SECOND_MS), 2_000)).toBe(false);
    expect(rises(trendOf(readings(1_800, 0), SECOND_MS), 10)).toBe(false);
    expect(rises(trendOf(readings(30, 100), SECOND_MS), 10)).toBe(false);
  });

  it("has no trend by what happens once", () => {
    const once = readings(1_800, 0).map((value, index) => (index === 900 ? 50_000 : value));
    expect(rises(trendOf(once, SECOND_MS), 10)).toBe(false);
  });

  it("has percentiles", () => {
    const values = Array.from({ length: 100 }, (_, index) => 99 - index);
    expect([percentileOf(values, 0.5), percentileOf(values, 0.99)]).toEqual([50, 99]);
  });
});
