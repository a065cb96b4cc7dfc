import { describe, expect, it } from "vitest";
import { placeAt } from "~/features/library/series/use-drag-order";

/** Stacked rows with different heights. */
const PLACES = [
  { top: 100, height: 60 },
  { top: 160, height: 100 },
  { top: 260, height: 60 },
];

describe("a dragged row", () => {
  it.each([
    [0, 0, 0],
    [0, 50, 0],
    [0, 51, 1],
    [0, 130, 1],
    [0, 131, 2],
    [2, -50, 2],
    [2, -51, 1],
    [2, -130, 1],
    [2, -131, 0],
    [1, 31, 2],
    [1, -31, 0],
    [0, 9_999, 2],
    [2, -9_999, 0],
  ])("moved from index %i by %i pixels ends up at index %i", (from, shift, to) => {
    expect(placeAt(PLACES, from, shift)).toBe(to);
  });
});
