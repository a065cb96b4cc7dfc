import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BRIGHTNESS_MAX,
  BRIGHTNESS_MIN,
  SWIPE_THRESHOLD_PX,
  VOLUME_MAX,
  VOLUME_MIN,
} from "~/features/player/constants";
import { directionOf, swipeLevel } from "~/features/player/gestures";

const VOLUME = { min: VOLUME_MIN, max: VOLUME_MAX };
const BRIGHTNESS = { min: BRIGHTNESS_MIN, max: BRIGHTNESS_MAX };

describe("the direction of a swipe", () => {
  it.each([
    [0, 0, "undecided"],
    [3, -5, "undecided"],
    [2, -30, "vertical"],
    [-4, 9, "vertical"],
    [30, 2, "horizontal"],
    // Diagonal swipes aren't clearly vertical, so they are left to the browser.
    [20, 20, "horizontal"],
  ] as const)("by (%s, %s) is %s", (dx, dy, direction) =>
    expect(directionOf(dx, dy)).toBe(direction),
  );
});

describe("the level set by a swipe (specification, section 9)", () => {
  it("does not change below the threshold", () => {
    expect(swipeLevel(0.5, SWIPE_THRESHOLD_PX - 1, 400, VOLUME)).toBeUndefined();
    expect(swipeLevel(0.5, -SWIPE_THRESHOLD_PX + 1, 400, VOLUME)).toBeUndefined();
  });
  it("does not jump at the threshold", () => {
    expect(swipeLevel(0.5, -SWIPE_THRESHOLD_PX, 400, VOLUME)).toBe(0.5);
  });
  it("rises when swiping up and falls when swiping down", () => {
    expect(swipeLevel(0.5, -100, 400, VOLUME)).toBeCloseTo(0.75);
    expect(swipeLevel(0.5, 100, 400, VOLUME)).toBeCloseTo(0.25);
    expect(swipeLevel(1, -100, 400, BRIGHTNESS)).toBeCloseTo(1.45);
  });
  it("covers its whole range in one swipe across the player's height", () => {
    expect(swipeLevel(0, -400, 400, VOLUME)).toBe(1);
    expect(swipeLevel(2, 400, 400, BRIGHTNESS)).toBe(0.2);
  });
  it("is clamped to its range", () => {
    const any = fc.double({ min: -1e5, max: 1e5, noNaN: true });
    fc.assert(
      fc.property(any, fc.integer({ min: 0, max: 5_000 }), (dy, height) => {
        const level = swipeLevel(1, dy, height, BRIGHTNESS) ?? 1;
        expect(level).toBeGreaterThanOrEqual(BRIGHTNESS_MIN);
        expect(level).toBeLessThanOrEqual(BRIGHTNESS_MAX);
      }),
    );
  });
});
