import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseByteRange } from "~/shared/byte-range";

describe("a Range header", () => {
  it.each([
    ["bytes=0-0", { start: 0, end: 0 }],
    ["bytes=10-19", { start: 10, end: 19 }],
    ["bytes=90-", { start: 90, end: 99 }],
    ["bytes=-10", { start: 90, end: 99 }],
    ["bytes=-1000", { start: 0, end: 99 }],
    ["bytes=95-1000", { start: 95, end: 99 }],
    ["BYTES=0-4", { start: 0, end: 4 }],
    ["bytes= 0 - 4 ", { start: 0, end: 4 }],
  ])("with the value %s selects a range of 100 bytes", (header, range) => {
    expect(parseByteRange(header, 100)).toEqual(range);
  });

  it.each(["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"])(
    "with the value %s is unsatisfiable for 100 bytes",
    (header) => {
      expect(parseByteRange(header, 100)).toBe("unsatisfiable");
    },
  );

  it("is unsatisfiable for an empty file", () => {
    expect(parseByteRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(parseByteRange("bytes=-5", 0)).toBe("unsatisfiable");
  });

  it.each([
    null,
    "",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=a-b",
    "bytes=5-4",
    "bytes=0-1,5-6",
    "bytes=--5",
    "bytes=1.5-3",
    "bytes=0x1-3",
    "lines=0-4",
  ])("with the value %s is ignored", (header) => {
    expect(parseByteRange(header, 100)).toBeUndefined();
  });

  it("is parsed quickly, however many spaces it contains", () => {
    // A regular expression that backtracks would block the event loop for more than a second per header.
    const spaces = " ".repeat(16_000);
    for (let request = 0; request < 200; request++) {
      expect(parseByteRange(`bytes=${spaces}x`, 100)).toBeUndefined();
      expect(parseByteRange(`bytes=0-${spaces}x`, 100)).toBeUndefined();
    }
  });

  it("never selects bytes outside the file", () => {
    const number = fc.oneof(fc.nat(), fc.bigInt({ min: 0n }), fc.constant(""));
    fc.assert(
      fc.property(number, number, fc.nat({ max: 1_000_000 }), (first, last, size) => {
        const range = parseByteRange(`bytes=${first}-${last}`, size);
        if (!range || range === "unsatisfiable") return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.start).toBeLessThanOrEqual(range.end);
        expect(range.end).toBeLessThan(size);
      }),
    );
  });
});
