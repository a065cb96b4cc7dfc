import { expect, it } from "vitest";
import { readPastedLines } from "~/features/upload/paste-lines";

it("reads a title, tags and a category from each line, separated by pipes or tabs", () => {
  expect(
    readPastedLines("First | one, two | desi\r\nSecond\tthree\tModel/Star\n Third \n||English\n\n"),
  ).toEqual({
    texts: [
      { title: "First", tags: "one, two", category: "desi" },
      { title: "Second", tags: "three", category: "pornstar" },
      { title: "Third" },
      { category: "english" },
    ],
    unknown: [],
  });
});

it("leaves a file unchanged if its line is empty", () => {
  expect(readPastedLines("\nSecond").texts).toEqual([{}, { title: "Second" }]);
  expect(readPastedLines(" \n\n").texts).toEqual([]);
});

it("reports an unknown category, but uses the rest of the line", () => {
  expect(readPastedLines("A|x|Desi\nB|y|deci")).toEqual({
    texts: [
      { title: "A", tags: "x", category: "desi" },
      { title: "B", tags: "y" },
    ],
    unknown: [{ line: 2, category: "deci" }],
  });
});

it("reads a line with many spaces quickly", () => {
  const { texts } = readPastedLines(`A${" ".repeat(500_000)}B`);
  expect(texts).toHaveLength(1);
});
