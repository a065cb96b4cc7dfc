import { describe, expect, it } from "vitest";
import { relatedIndex } from "~/features/catalogue/related-index";

const NOW = Date.UTC(2026, 0, 1);
const video = (number: number, category = "desi", title = `Video ${number}`) => ({
  sortKey: (800_000_000_000n << 22n) + BigInt(number),
  title,
  category,
  tags: null,
  views: 0,
});

describe("the index of related videos", () => {
  it("is full once it has reached its capacity, including removed videos", () => {
    const index = relatedIndex(12_000);
    for (let number = 0; number < 6_000; number++) index.put(video(number));
    expect(index.isFull()).toBe(false);
    for (let number = 0; number < 6_000; number++) {
      index.remove(video(number).sortKey);
      index.put(video(number));
    }
    expect(index.isFull()).toBe(true);
    const rebuilt = relatedIndex(12_000);
    for (let number = 0; number < 6_000; number++) rebuilt.put(video(number));
    expect(rebuilt.best(video(1), NOW)).toEqual(index.best(video(1), NOW));
    index.put(video(6_000));
    expect(rebuilt.best(video(1), NOW)).toEqual(index.best(video(1), NOW));
  });

  it("distinguishes more than 256 categories", () => {
    const index = relatedIndex(1_000);
    for (let number = 0; number < 300; number++)
      index.put(video(number, `c${number}`, `w${number}`));
    // No other video is in the same category, and no other title shares a word with it.
    expect(index.best(video(299, "c299", "w299"), NOW)).toEqual([]);
    expect(index.best(video(10, "c266", "x"), NOW)).toEqual([video(266).sortKey]);
  });
});
