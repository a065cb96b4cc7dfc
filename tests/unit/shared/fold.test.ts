import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "~/shared/fold";

/** The end of the second Unicode plane. No characters beyond it have an uppercase or lowercase form. */
const LAST_CODE_POINT = 0x1ffff;
const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff;

describe("fold", () => {
  it("folds every code point like SQLite in the planes that contain cased letters", () => {
    const sqlite = new Sqlite(":memory:");
    sqlite.exec(`
      CREATE VIRTUAL TABLE one USING fts5 (text, content = '', tokenize = 'trigram');
      CREATE VIRTUAL TABLE words USING fts5vocab (one, 'instance');`);
    const insert = sqlite.prepare("INSERT INTO one (rowid, text) VALUES (?, ?)");
    sqlite.transaction(() => {
      for (let code = 1; code <= LAST_CODE_POINT; code += 1) {
        if (!isSurrogate(code)) insert.run(code, `${String.fromCodePoint(code)}\u0001\u0002`);
      }
    })();
    const mismatches: string[] = [];
    let count = 0;
    for (const row of sqlite.prepare("SELECT doc, term FROM words WHERE offset = 0").iterate()) {
      const { doc, term } = row as { doc: number; term: string };
      count += 1;
      const folded = fold(String.fromCodePoint(doc)).codePointAt(0);
      if (folded !== term.codePointAt(0)) mismatches.push(doc.toString(16));
    }
    sqlite.close();
    expect(mismatches).toEqual([]);
    expect(count).toBe(LAST_CODE_POINT - 0x800);
  });

  it.each([
    ["É", "é"],
    ["НОЧЬ", "ночь"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ς", "σ"],
    ["Straße", "straße"],
    ["वीडियो", "वीडियो"],
    ["𐐀", "𐐨"],
  ])("turns %s into %s", (text, folded) => expect(fold(text)).toBe(folded));

  it("leaves İ unchanged, because its lowercase form has two characters", () => {
    expect(fold("İ")).toBe("İ");
  });

  it("preserves the number of characters and is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect([...fold(text)].length).toBe([...text].length);
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });
});
