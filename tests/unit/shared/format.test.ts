import { describe, expect, it } from "vitest";
import {
  formatAge,
  formatCount,
  formatDuration,
  formatQuantity,
  formatViews,
  isoDuration,
  parseDuration,
  parseTime,
  storedDuration,
} from "~/shared/format";
import { formatSpan } from "~/shared/format-span";

describe("a count", () => {
  it.each([
    [0, "0"],
    [1, "1"],
    [999, "999"],
    [1_000, "1.0K"],
    [1_049, "1.0K"],
    [1_050, "1.1K"],
    [1_150, "1.2K"],
    [9_949, "9.9K"],
    [9_950, "10.0K"],
    [10_000, "10.0K"],
    [999_949, "999.9K"],
    [999_950, "1.0M"],
    [999_999, "1.0M"],
    [1_000_000, "1.0M"],
    [1_049_999, "1.0M"],
    [1_050_000, "1.1M"],
    [1_234_567_890, "1234.6M"],
  ])("of %i is shown as %s", (count, text) => expect(formatCount(count)).toBe(text));

  it("is never shown as 1000.0K and never decreases when the count increases", () => {
    let before = 0;
    for (let count = 990_000; count <= 1_010_000; count += 1) {
      const text = formatCount(count);
      expect(text).not.toBe("1000.0K");
      const value = Number.parseFloat(text) * (text.endsWith("M") ? 1_000_000 : 1_000);
      if (value < before) throw new Error(`${count} is shown as ${text}`);
      before = value;
    }
  });
});

describe("a count with its noun", () => {
  it("abbreviates numbers of views, and uses the singular for 1", () => {
    expect([0, 1, 2, 999, 1_000].map(formatViews)).toEqual([
      "0 views",
      "1 view",
      "2 views",
      "999 views",
      "1.0K views",
    ]);
  });

  it("shows all digits of a number of videos, and uses the singular for 1", () => {
    const counts = [0, 1, 2, 999, 1_234, 123_456, 1_234_567];
    expect(counts.map((count) => formatQuantity(count, "video"))).toEqual([
      "0 videos",
      "1 video",
      "2 videos",
      "999 videos",
      "1,234 videos",
      "123,456 videos",
      "1,234,567 videos",
    ]);
  });
});

describe("an age", () => {
  const now = Date.parse("2026-06-15T12:00:00Z");
  const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();

  it.each([
    [-400, "1 day ago"],
    [-0.5, "1 day ago"],
    [0, "1 day ago"],
    [0.99, "1 day ago"],
    [1, "1 day ago"],
    [1.99, "1 day ago"],
    [2, "2 days ago"],
    [6, "6 days ago"],
    [6.99, "6 days ago"],
    [7, "1 week ago"],
    [13, "1 week ago"],
    [14, "2 weeks ago"],
    [28, "4 weeks ago"],
    [29, "4 weeks ago"],
    [29.99, "4 weeks ago"],
    [30, "1 month ago"],
    [59, "1 month ago"],
    [60, "2 months ago"],
    [365, "12 months ago"],
    [390, "13 months ago"],
  ])("of %d days is %s", (days, text) => {
    expect(formatAge(daysAgo(days), now)).toBe(text);
    expect(formatAge(daysAgo(days), new Date(now))).toBe(text);
  });

  it("is calculated from SQLite's timestamps as UTC", () => {
    expect(parseTime("2026-06-08 12:00:00")).toBe(Date.parse("2026-06-08T12:00:00Z"));
    expect(formatAge("2026-06-08 12:00:00", now)).toBe("1 week ago");
    expect(parseTime("2026-06-08T14:00:00+02:00")).toBe(Date.parse("2026-06-08T12:00:00Z"));
  });

  it("is one day for an invalid timestamp", () =>
    expect(formatAge("yesterday", now)).toBe("1 day ago"));
});

describe("a duration", () => {
  it.each([
    [0, "0:00"],
    [5, "0:05"],
    [59.9, "0:59"],
    [60, "1:00"],
    [330, "5:30"],
    [3_599, "59:59"],
    [4_530, "75:30"],
    [360_000, "6000:00"],
    [-1, "0:00"],
    [Number.NaN, "0:00"],
    [Number.POSITIVE_INFINITY, "0:00"],
  ])("of %d seconds is %s", (seconds, text) => expect(formatDuration(seconds)).toBe(text));

  it.each([
    ["330", "5:30"],
    ["5:30", "5:30"],
    ["1:15:30", "75:30"],
    ["", "0:00"],
    ["soon", "0:00"],
  ])("stored as %j is shown as %s", (stored, text) => expect(storedDuration(stored)).toBe(text));

  it.each([
    ["5:30", 330],
    [" 5:30 ", 330],
    ["75:30", 4_530],
    ["1:15:30", 4_530],
    ["0:00", 0],
    ["330", 330],
    ["330.5", 330],
    ["5:5", 305],
    ["", undefined],
    ["5:60", undefined],
    ["1:75:30", undefined],
    ["-5:30", undefined],
    ["5:30:10:20", undefined],
    ["abc", undefined],
    ["1e3", undefined],
  ])("entered as %j is parsed as %s seconds", (text, seconds) =>
    expect(parseDuration(text)).toBe(seconds),
  );

  it("is parsed back to the number of seconds it was formatted from", () => {
    for (let seconds = 0; seconds < 10_000; seconds += 1) {
      if (parseDuration(formatDuration(seconds)) !== seconds) throw new Error(`${seconds}`);
    }
    // The longest allowed duration.
    expect(parseDuration(formatDuration(999_999_999))).toBe(999_999_999);
  });

  it.each([
    [0, "PT0S"],
    [30, "PT30S"],
    [330, "PT5M30S"],
    [3_600, "PT1H"],
    [4_530, "PT1H15M30S"],
  ])("of %d seconds is %s in structured data", (seconds, text) =>
    expect(isoDuration(seconds)).toBe(text),
  );
});

describe("a time span", () => {
  it.each([
    [0, "1 s"],
    [59.4, "59 s"],
    [59.5, "1 min 0 s"],
    [200, "3 min 20 s"],
    [3_900, "1 h 5 min"],
  ])("of %d seconds is %s", (seconds, text) => expect(formatSpan(seconds)).toBe(text));
});
