// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { clearWatchHistory, markAsFinished, watchedIds } from "~/features/visitor/watch-history";

beforeEach(() => clearWatchHistory());

describe("the watch history", () => {
  it("contains started and finished videos until it is cleared", () => {
    localStorage.setItem("visitor", '{"resume":[["begun", 30]]}');
    markAsFinished("a");
    markAsFinished("b");
    markAsFinished("a");
    expect([...watchedIds()]).toEqual(["a", "b", "begun"]);
    clearWatchHistory();
    expect(watchedIds().size).toBe(0);
  });

  it("is limited to 500 videos, newest first", () => {
    const many = Array.from({ length: 600 }, (_, i) => `v${i}`);
    localStorage.setItem("visitor", JSON.stringify({ watched: many }));
    markAsFinished("last");
    expect([...watchedIds()][0]).toBe("last");
    expect(watchedIds().size).toBe(500);
  });

  it.each(["", "{", "null", "{}", '"text"', "[1, null, [], [2, 3], {}]"])(
    "is empty if invalid data is stored: %j",
    (stored) => {
      localStorage.setItem("visitor", `{"watched":${stored},"resume":${stored}}`);
      expect(watchedIds().size).toBe(0);
      markAsFinished("a");
      expect(watchedIds().has("a")).toBe(true);
    },
  );
});
