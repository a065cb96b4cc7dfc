import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DOUBLE_TAP_WINDOW_MS, SEEK_STEP_S } from "~/features/player/constants";
import type { Side } from "~/features/player/feedback";
import { nextTap, seekOf, sideOf, type TapSeries } from "~/features/player/gestures";

/** Returns the number of seconds that each tap seeks; 0 means that the tap may toggle playback. */
function seeksOf(taps: [at: number, side: Side][]): number[] {
  let series: TapSeries | undefined;
  return taps.map(([at, side]) => {
    series = nextTap(series, at, side);
    return seekOf(series);
  });
}

describe("taps (specification, section 2: double tap; section 9: 300 ms)", () => {
  it("toggle playback when single", () => {
    expect(seeksOf([[0, "right"]])).toEqual([0]);
  });
  it("seek 10 s in the direction of the tapped half when two fall within the window", () => {
    expect(
      seeksOf([
        [0, "right"],
        [300, "right"],
      ]),
    ).toEqual([0, SEEK_STEP_S]);
    expect(
      seeksOf([
        [0, "left"],
        [120, "left"],
      ]),
    ).toEqual([0, -SEEK_STEP_S]);
  });
  it("count as two single taps when they are further apart", () => {
    expect(
      seeksOf([
        [0, "right"],
        [301, "right"],
      ]),
    ).toEqual([0, 0]);
  });
  it("add 10 s each after the first two", () => {
    const taps: [number, Side][] = [
      [0, "right"],
      [200, "right"],
      [400, "right"],
      [600, "right"],
    ];
    expect(seeksOf(taps)).toEqual([0, 10, 10, 10]);
  });
  it("seek in the direction of the half that was tapped last", () => {
    expect(
      seeksOf([
        [0, "left"],
        [200, "right"],
        [400, "left"],
      ]),
    ).toEqual([0, 10, -10]);
  });
  it("toggle playback only with the first of several rapid taps", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: DOUBLE_TAP_WINDOW_MS }), { minLength: 1 });
    fc.assert(
      fc.property(gaps, (list) => {
        let at = 0;
        const taps = list.map((gap): [number, Side] => {
          at += gap;
          return [at, "right"];
        });
        expect(seeksOf(taps).slice(1)).not.toContain(0);
      }),
    );
  });
  it("belong to the half of the player in which they land", () => {
    const box = { left: 100, width: 200 };
    expect([sideOf(100, box), sideOf(199, box), sideOf(200, box)]).toEqual([
      "left",
      "left",
      "right",
    ]);
  });
});
