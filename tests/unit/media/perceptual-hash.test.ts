import { describe, expect, it } from "vitest";
import {
  FINGERPRINT_FRAMES,
  fingerprintOf,
  HASHED_SIDE,
  isSimilar,
  perceptualHash,
  wordsOf,
} from "~/features/processing/comparison/perceptual-hash";

const image = (light: (x: number, y: number) => number) =>
  Uint8Array.from({ length: HASHED_SIDE ** 2 }, (_, at) =>
    Math.max(0, Math.min(255, light(at % HASHED_SIDE, Math.floor(at / HASHED_SIDE)))),
  );
const pattern = (seed: number, gain = 1) =>
  image(
    (x, y) =>
      128 +
      gain * 50 * Math.sin(x / (3 + (seed % 5)) + seed) * Math.cos(y / (2 + (seed % 7)) - seed) +
      gain * 30 * Math.sin((x * y) / (40 + seed)),
  );
const distance = (a: Uint8Array, b: Uint8Array) =>
  [...a].reduce((sum, byte, at) => sum + (byte ^ b[at]!).toString(2).replaceAll("0", "").length, 0);
const video = (from: number, frameCount = FINGERPRINT_FRAMES) =>
  Array.from({ length: frameCount }, (_, at) => perceptualHash(pattern(from + 11 * at)));

describe("the perceptual hash of a frame", () => {
  it("is nearly the same at a different brightness, and differs for another frame", () => {
    expect(distance(perceptualHash(pattern(1)), perceptualHash(pattern(1, 0.5)))).toBeLessThan(4);
    expect(distance(perceptualHash(pattern(1)), perceptualHash(pattern(4)))).toBeGreaterThan(16);
  });

  it("is zero for a frame without detail", () => {
    for (const light of [() => 16, (x: number) => 16 + (x % 3), () => 235]) {
      expect([...perceptualHash(image(light))]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    }
  });
});

describe("the fingerprint of a video", () => {
  it("matches if most of its frames do, even if they are slightly shifted in time", () => {
    const words = (hashes: Uint8Array[]) => wordsOf(fingerprintOf(hashes));
    const all = video(1);
    expect(isSimilar(words(all), words(all))).toBe(true);
    expect(isSimilar(words(all), words([...all.slice(1), all[0]!]))).toBe(true);
    expect(isSimilar(words(all), words([...all.slice(0, 10), ...video(500, 6)]))).toBe(true);
    expect(isSimilar(words(all), words([...all.slice(0, 8), ...video(500, 8)]))).toBe(false);
    expect(isSimilar(words(all), words(video(700)))).toBe(false);
  });

  it("is empty if few frames have detail or all frames are the same", () => {
    const black = new Uint8Array(8);
    expect(fingerprintOf(Array(FINGERPRINT_FRAMES).fill(black))).toHaveLength(0);
    expect(fingerprintOf(Array(FINGERPRINT_FRAMES).fill(video(1)[0]))).toHaveLength(0);
    expect(fingerprintOf([...video(1, 3), ...Array(13).fill(black)])).toHaveLength(0);
    expect(isSimilar(wordsOf(new Uint8Array()), wordsOf(new Uint8Array()))).toBe(false);
  });
});
