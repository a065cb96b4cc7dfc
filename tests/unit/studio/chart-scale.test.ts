import { describe, expect, it } from "vitest";
import { axisTicks, byteUnit } from "~/features/operations/statistics/chart";

describe("axis ticks", () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [37, [0, 10, 20, 30, 40]],
    [101, [0, 50, 100, 150]],
    [1_234, [0, 500, 1_000, 1_500]],
  ])("for values up to %d are round integers that reach the maximum", (max, ticks) => {
    expect(axisTicks(max)).toEqual(ticks);
  });

  it("are never more than five", () => {
    for (let max = 1; max < 1e9; max = Math.ceil(max * 1.37)) {
      const ticks = axisTicks(max);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
    }
  });

  it("for bytes are multiples of a tenth of the displayed unit", () => {
    const gibibyte = 1024 ** 3;
    const ticks = axisTicks(1.9 * gibibyte, byteUnit(1.9 * gibibyte));
    expect(ticks.map((tick) => tick / gibibyte)).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(axisTicks(5, byteUnit(5))).toEqual([0, 1024 ** 2 / 10]);
  });
});
