import { describe, expect, it } from "vitest";
import { editDistance, maxEdits, nearest } from "~/features/catalogue/nearest-word";

describe("the edit distance", () => {
  it.each([
    ["night", "night", 0],
    ["nigth", "night", 1],
    ["nght", "night", 1],
    ["nnight", "night", 1],
    ["nicht", "night", 1],
    ["inght", "night", 1],
    ["tarin", "train", 1],
    ["sumer", "simmer", 2],
    ["ca", "abc", 3],
    ["", "ab", 2],
    ["ночт", "ночь", 1],
    ["🎬🎭", "🎭🎬", 1],
  ])("between %s and %s is %i", (one, other, distance) => {
    expect(editDistance(one, other, 5)).toBe(distance);
    expect(editDistance(other, one, 5)).toBe(distance);
  });

  it("is capped at the maximum", () => {
    expect(editDistance("summer", "winter", 2)).toBe(3);
    expect(editDistance("a", "abcdefgh", 2)).toBe(3);
  });

  it("is limited to 0 for the shortest words, 1 for short ones and 2 for longer ones", () => {
    expect(["ab", "abc", "abcd", "abcde"].map(maxEdits)).toEqual([0, 1, 1, 2]);
  });
});

describe("the nearest word", () => {
  const find = (typed: string, known: Record<string, number>) =>
    nearest(typed, Object.keys(known), (text) => known[text] ?? 0, Number.POSITIVE_INFINITY)?.text;

  it("has the fewest edits, and is the most frequent one if several tie", () => {
    expect(find("nigth", { nights: 90, night: 3 })).toBe("night");
    expect(find("beech", { bench: 2, beach: 5, leech: 1 })).toBe("beach");
  });

  it("is never too different, the word itself, or a word without videos", () => {
    expect(find("ab", { abc: 1 })).toBeUndefined();
    expect(find("summer", { winter: 9, summer: 9 })).toBeUndefined();
    expect(find("nigth", { night: 0 })).toBeUndefined();
  });

  it("is no longer searched for after the deadline", () => {
    const words = Array.from({ length: 5_000 }, (_, i) => `word${i}`);
    let counted = 0;
    nearest("wordx", [...words, "wordy"], () => ++counted, performance.now() - 1);
    expect(counted).toBeLessThan(words.length);
  });
});
