import { describe, expect, it } from "vitest";
import { formatPosition, insertChapter, parsePosition } from "~/features/library/edit/positions";
import { chaptersOf } from "~/shared/timestamps";

describe("an entered position", () => {
  it("consists of minutes and seconds, with optional hours and fractions", () => {
    expect(["1:30", " 90 ", "1:02:03.5", "0:07.25"].map(parsePosition)).toEqual([
      90, 90, 3_723.5, 7.25,
    ]);
    for (const text of ["", "soon", "1:2:3:4", "-5", "1:30x", "1e3"])
      expect(parsePosition(text)).toBeUndefined();
  });

  it("is formatted in a way that can be parsed again", () => {
    expect([0, 59.96, 90.5, 3_723.55].map(formatPosition)).toEqual([
      "0:00",
      "0:59.9",
      "1:30.5",
      "62:03.5",
    ]);
    for (const seconds of [3_723.5, 24 * 3_600]) {
      expect(parsePosition(formatPosition(seconds))).toBe(seconds);
    }
  });
});

describe("a new chapter", () => {
  it("is inserted in order, with its name selected", () => {
    const { text, from, to } = insertChapter("Words.\n0:00 The bus\n2:00 Rain\nMore words.", 75.9);
    expect(text).toBe("Words.\n0:00 The bus\n1:15 Chapter\n2:00 Rain\nMore words.");
    expect(text.slice(from, to)).toBe("Chapter");
  });

  it("is preceded by a first chapter at 0:00, because there must be at least three chapters", () => {
    expect(insertChapter("Words.", 75).text).toBe("Words.\n0:00 Beginning\n1:15 Chapter");
    expect(insertChapter("", 0).text).toBe("0:00 Chapter");
    const three = insertChapter(insertChapter("", 60).text, 30).text;
    expect(chaptersOf(three, 100).map(({ start }) => start)).toEqual([0, 30, 60]);
  });
});
