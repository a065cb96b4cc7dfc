import { expect, it } from "vitest";
import { readPastedLines } from "~/features/upload/paste-lines";

it("reads title, tags and category of each line, with bars or tabs between them", () => {
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

it("leaves the file of an empty line as it is", () => {
  expect(readPastedLines("\nSecond").texts).toEqual([{}, { title: "Second" }]);
  expect(readPastedLines(" \n\n").texts).toEqual([]);
});

it("names what is no category, and takes the rest of its line", () => {
  expect(readPastedLines("A|x|Desi\nB|y|deci")).toEqual({
    texts: [
      { title: "A", tags: "x", category: "desi" },
      { title: "B", tags: "y" },
    ],
    unknown: [{ line: 2, category: "deci" }],
  });
});

it("reads a line with many spaces in it at once", () => {
  const { texts } = readPastedLines(`A${" ".repeat(500_000)}B`);
  expect(texts).toHaveLength(1);
});
