import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chapterAt, chaptersOf, timedParts } from "~/shared/timestamps";

describe("timestamps in text", () => {
  const timestamps = (text: string, duration = 0) =>
    timedParts(text, duration).flatMap((part) => part.seconds ?? []);

  it.each([
    ["0:00 Start", [0]],
    ["at 1:30, again at (12:05) and [75:30].", [90, 725, 4530]],
    ["1:02:03", [3723]],
    ["0:10-0:20 and 0:30–0:40", [10, 20, 30, 40]],
    ["16:9, 1:2:3, 1:60, 1:75:30, 1234:00, 12:3", []],
    ["v1:30 1:30pm 1:30:00:00 example.com/1:30 1:30.5 1,1:30", []],
  ])("are found in %j", (text, seconds) => expect(timestamps(text)).toEqual(seconds));

  it("are ignored past the end of the video if its length is known", () => {
    expect(timestamps("0:59 1:00 20:30", 60)).toEqual([59]);
  });

  it("are found without changing the text", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom("0:00", "1:02:03", ":", "9", " ", "\n", "-"),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 0, max: 9_999 }), (pieces, duration) => {
        const text = pieces.join("");
        const parts = timedParts(text, duration);
        expect(parts.map((part) => part.text).join("")).toBe(text);
      }),
    );
  });
});

describe("chapters", () => {
  it("start on lines that have a timestamp followed by a name", () => {
    const text = [
      "An evening by the sea. At 0:40 there is a boat.",
      "0:00 Start",
      "- 0:10 - The sea",
      "(0:20) <b>Night</b>",
      "Thanks for 3:00 minutes.",
      "0:30",
    ].join("\r\n");
    expect(chaptersOf(text, 60)).toEqual([
      { name: "Start", start: 0 },
      { name: "The sea", start: 10 },
      { name: "<b>Night</b>", start: 20 },
    ]);
  });

  it.each([
    ["fewer than three chapters", "0:00 a\n0:10 b"],
    ["a first one after 0:00", "0:05 a\n0:10 b\n0:20 c"],
    ["descending timestamps", "0:00 a\n0:20 b\n0:10 c"],
    ["a repeated timestamp", "0:00 a\n0:10 b\n0:10 c\n0:20 d"],
    ["fewer than three within the video", "0:00 a\n0:10 b\n5:00 c"],
    [
      "more than a hundred chapters",
      Array.from(
        { length: 101 },
        (_, s) => `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")} x`,
      ).join("\n"),
    ],
  ])("aren't found in a description with %s", (_, text) =>
    expect(chaptersOf(text, 120)).toEqual([]),
  );

  it("are found quickly in any description", () => {
    const started = performance.now();
    for (const unit of [" ", "0:00", "- ", "[0:00] ", "0:00\n", "0:00 \n", "\t-"]) {
      const text = unit.repeat(10_000 / unit.length);
      chaptersOf(text, 60);
      timedParts(text, 60);
    }
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("can be looked up by position in the video", () => {
    const chapters = [0, 10, 20].map((start) => ({ name: `from ${start}`, start }));
    expect([0, 9.9, 10, 99].map((seconds) => chapterAt(chapters, seconds)?.start)).toEqual([
      0, 0, 10, 20,
    ]);
    expect(chapterAt([], 5)).toBeUndefined();
  });
});
