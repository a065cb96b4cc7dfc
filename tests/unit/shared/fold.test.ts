import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "~/shared/fold";

describe("folding", () => {
  it.each([
    ["É", "e"],
    ["e\u0301", "e"],
    ["НОЧЬ", "ночь"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ς", "σ"],
    ["Straße", "strasse"],
    ["ẞ", "ss"],
    ["Łódź", "lodz"],
    ["Øre", "ore"],
    ["Đà Nẵng", "da nang"],
    ["İstanbul ılık", "istanbul ilik"],
    ["ｗｉｄｅ", "wide"],
    ["ﬁ", "fi"],
    ["𐐀", "𐐨"],
    ["fjord!", "fjord!"],
  ])("turns %s into %s", (text, folded) => expect(fold(text)).toBe(folded));

  it("is idempotent, and gives the same result for both cases", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
    for (let code = 0; code <= 0x1ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const lower = character.toLowerCase();
      if (lower !== character && fold(lower) !== fold(character)) expect.fail(character);
    }
  });
});
