import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DOUBLE_TAP_WINDOW_MS, SEEK_STEP_S } from "~/features/player/constants";
import type { Side } from "~/features/player/feedback";
import { nextTap, seekOf, sideOf, type TapSeries } from "~/features/player/gestures";

/** Returns how many seconds each tap seeks. 0 means that the tap may toggle playback. */
function seeksOf(taps: [at: number, side: Side][]): number[] {
  let series: TapSeries | undefined;
  return taps.map(([at, side]) => {
    series = nextTap(series, at, side);
    return seekOf(series);
  });
}

describe("tapping the video (specification, section 2)", () => {
  it("once toggles playback", () => {
    expect(seeksOf([[0, "right"]])).toEqual([0]);
  });
  it("twice within 300 ms seeks 10 s toward the tapped side", () => {
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
  it("twice more than 300 ms apart counts as two single taps", () => {
    expect(
      seeksOf([
        [0, "right"],
        [301, "right"],
      ]),
    ).toEqual([0, 0]);
  });
  it("more than twice seeks another 10 s with each tap", () => {
    const taps: [number, Side][] = [
      [0, "right"],
      [200, "right"],
      [400, "right"],
      [600, "right"],
    ];
    expect(seeksOf(taps)).toEqual([0, 10, 10, 10]);
  });
  it("on alternating sides seeks toward the side tapped last", () => {
    expect(
      seeksOf([
        [0, "left"],
        [200, "right"],
        [400, "left"],
      ]),
    ).toEqual([0, 10, -10]);
  });
  it("several times in quick succession toggles playback at most once", () => {
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
  it("counts for the half of the player that was tapped", () => {
    const box = { left: 100, width: 200 };
    expect([sideOf(100, box), sideOf(199, box), sideOf(200, box)]).toEqual([
      "left",
      "left",
      "right",
    ]);
  });
});
