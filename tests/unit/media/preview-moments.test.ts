import { describe, expect, it } from "vitest";
import { bestStart, onePart, sectionsOf } from "~/media/encode/preview-moments.server";

describe("the moments of a hover preview", () => {
  it("begin where the specification says, in one piece in a film too short for four", () => {
    expect(onePart(600)).toEqual({ start: 25, seconds: 8 });
    expect(onePart(20)).toEqual({ start: 6, seconds: 8 });
    expect(onePart(3)).toEqual({ start: 0, seconds: 8 });
    expect(sectionsOf(40)).toEqual([]);
  });

  it("are looked for in the film behind the first, up to the credits", () => {
    expect(sectionsOf(130)).toEqual([
      { start: 39, seconds: 6 },
      { start: 69, seconds: 6 },
      { start: 99, seconds: 6 },
    ]);
    const short = sectionsOf(45);
    expect(short[0]!.start).toBeGreaterThanOrEqual(27);
    expect(short.at(-1)!.start + short.at(-1)!.seconds).toBeLessThanOrEqual(45 * 0.9);
  });
});

/** Pictures, five a second: columns of two brightnesses. */
function film(...scenes: [pictures: number, dark: number, bright: number][]): Uint8Array {
  return Uint8Array.from(
    scenes.flatMap(([pictures, dark, bright]) =>
      Array.from({ length: pictures * 32 * 18 }, (_, at) => (at % 2 ? bright : dark)),
    ),
  );
}

describe("two seconds of a section", () => {
  it("begin with a scene, and have no other within", () => {
    expect(bestStart(film([12, 60, 140], [18, 120, 200]))).toBeCloseTo(2.4);
  });

  it("have nothing black, empty, or written on black in them", () => {
    expect(bestStart(film([15, 2, 4], [15, 60, 140]))).toBeCloseTo(3);
    expect(bestStart(film([15, 60, 140], [15, 2, 4]))).toBeLessThanOrEqual(1);
    expect(bestStart(film([15, 200, 201], [15, 60, 140]))).toBeCloseTo(3);
    expect(bestStart(film([15, 0, 40], [15, 60, 140]))).toBeCloseTo(3);
  });

  it("are the first where all are alike, or there are too few", () => {
    expect(bestStart(film([30, 60, 140]))).toBe(0);
    expect(bestStart(film([4, 60, 140]))).toBe(0);
    expect(bestStart(new Uint8Array())).toBe(0);
  });
});
