import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTable } from "~/features/upload/import/table.server";
import { csvTable } from "~/shared/markup/csv";

/** Matches the cells that Excel, LibreOffice and Google Sheets may evaluate as formulas. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/** Arbitrary text that consists mostly of characters with a special meaning at the start of a cell. */
const texts = fc.oneof(
  fc
    .array(fc.constantFrom(..."'=+-@＝＋－＠ \t\r\n\",;a", "\u00A0", "\u3000", "\uFEFF"), {
      maxLength: 6,
    })
    .map((characters) => characters.join("")),
  fc.string({ unit: "binary" }),
);

describe("an exported CSV table", () => {
  it("contains no cells that a spreadsheet would evaluate as formulas", () => {
    fc.assert(
      fc.property(texts, texts, (first, second) => {
        const [, cells] = parse(csvTable(["a", "b"], [[first, second]])) as string[][];
        expect(cells).toHaveLength(2);
        for (const cell of cells!) expect(cell).not.toMatch(FORMULA);
      }),
      { numRuns: 1_000 },
    );
  });

  it("can be parsed back into the original text", async () => {
    await fc.assert(
      fc.asyncProperty(texts, texts, async (first, second) => {
        // The first cell is never empty, because empty lines are skipped.
        const table = csvTable(["n", "a", "b"], [["1", first, second]]);
        expect(await parseTable(table, false)).toEqual([{ n: "1", a: first, b: second }]);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["=1+1", "'=1+1"],
    ["'=1+1", "''=1+1"],
    [" @A1", "' @A1"],
    ["-5", "'-5"],
    ["'tis the season", "'tis the season"],
    ["1=1", "1=1"],
  ])("contains %j as %s", (text, cell) => {
    expect(csvTable(["a"], [[text]])).toBe(`a\r\n${cell}\r\n`);
  });

  it("leaves numbers unchanged", () => {
    expect(csvTable(["a"], [[-5]])).toBe("a\r\n-5\r\n");
  });
});
