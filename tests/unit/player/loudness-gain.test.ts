import { describe, expect, it } from "vitest";
import { loudnessGain } from "~/features/player/loudness";

const decibels = (lufs: number, truePeak: number) =>
  Number((20 * Math.log10(loudnessGain({ lufs, truePeak }))).toFixed(2));

describe("loudnessGain", () => {
  it("lowers a loud video to -16 LUFS, regardless of its peak", () => {
    expect(decibels(-9, 0.4)).toBe(-7);
    expect(decibels(-3, -3)).toBe(-13);
  });

  it("raises a quiet video by at most 12 dB, and never raises a peak above -1 dBTP", () => {
    expect(decibels(-22, -12)).toBe(6);
    expect(decibels(-22, -4)).toBe(3);
    expect(decibels(-22, -0.2)).toBe(0);
    expect(decibels(-50, -40)).toBe(12);
  });

  it("doesn't change videos that are silent, unmeasured or already at the target", () => {
    expect(decibels(-16.4, -3)).toBe(0);
    expect(decibels(-15.6, -3)).toBe(0);
    expect(decibels(-70, -60)).toBe(0);
    expect(loudnessGain(undefined)).toBe(1);
  });
});
