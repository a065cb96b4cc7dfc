import { describe, expect, it } from "vitest";
import {
  bufferedEnd,
  clampTime,
  formatTime,
  linkAt,
  parseStart,
} from "~/features/player/media-time";

describe("formatTime", () => {
  it.each([
    [0, "0:00"],
    [5.99, "0:05"],
    [65, "1:05"],
    [599.9, "9:59"],
    [3599, "59:59"],
    [3600, "1:00:00"],
    [36_000, "10:00:00"],
    [Number.NaN, "0:00"],
    [Number.POSITIVE_INFINITY, "0:00"],
    [-1, "0:00"],
  ])("formats %s s as %s", (seconds, text) => expect(formatTime(seconds)).toBe(text));
});

describe("clampTime", () => {
  it("clamps to the duration", () => {
    expect(clampTime(-3, 60)).toBe(0);
    expect(clampTime(63, 60)).toBe(60);
    expect(clampTime(30, 60)).toBe(30);
  });
  it("has no upper limit while the duration is unknown or infinite", () => {
    expect(clampTime(90, Number.NaN)).toBe(90);
    expect(clampTime(90, Number.POSITIVE_INFINITY)).toBe(90);
    expect(clampTime(-1, Number.NaN)).toBe(0);
  });
});

describe("the start time in a link", () => {
  it.each([
    ["90", 90],
    ["90s", 90],
    ["12.5", 12.5],
    ["1m30s", 90],
    ["1h2m3s", 3723],
    ["2m", 120],
    ["1:30", 90],
    ["1:02:03", 3723],
  ])("is parsed from %s as %s s", (text, seconds) => expect(parseStart(text)).toBe(seconds));

  it.each([null, "", "-5", "soon", "1e9", "9999999", "1:3", "0x10", "NaN", "m", "5 s"])(
    "is ignored when it is %s",
    (text) => expect(parseStart(text)).toBeUndefined(),
  );

  it("is written in whole seconds, and replaces other parameters", () => {
    const page = { origin: "https://site.example", pathname: "/video/7", search: "?from=home" };
    expect(linkAt(page, 83.9)).toBe("https://site.example/video/7?t=83");
    expect(linkAt(page, 0.4)).toBe("https://site.example/video/7");
  });
});

describe("bufferedEnd", () => {
  const ranges = (...pairs: [number, number][]): TimeRanges => ({
    length: pairs.length,
    start: (index) => pairs[index]![0],
    end: (index) => pairs[index]![1],
  });
  it("returns the end of the range that contains the time", () => {
    expect(bufferedEnd(ranges([0, 10], [30, 45]), 33)).toBe(45);
    expect(bufferedEnd(ranges([0, 10], [30, 45]), 5)).toBe(10);
  });
  it("tolerates a keyframe slightly later than the requested position", () => {
    expect(bufferedEnd(ranges([30.2, 45]), 30)).toBe(45);
  });
  it("returns 0 where nothing has been loaded", () => {
    expect(bufferedEnd(ranges([0, 10]), 20)).toBe(0);
    expect(bufferedEnd(ranges(), 0)).toBe(0);
  });
});
