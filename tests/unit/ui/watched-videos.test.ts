// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { forgetFinished, rememberFinished, watchedIds } from "~/ui/lists/watched-videos";

afterEach(() => localStorage.clear());

describe("what this browser has watched", () => {
  it("is what was begun and what was watched to its end", () => {
    localStorage.setItem("player:resume", '[["begun", 30]]');
    rememberFinished("a");
    rememberFinished("b");
    rememberFinished("a");
    expect([...watchedIds()]).toEqual(["a", "b", "begun"]);
    forgetFinished();
    expect([...watchedIds()]).toEqual(["begun"]);
  });

  it("is bounded, the latest first", () => {
    localStorage.setItem(
      "watched-videos",
      JSON.stringify(Array.from({ length: 600 }, (_, i) => `v${i}`)),
    );
    rememberFinished("last");
    expect([...watchedIds()][0]).toBe("last");
    expect(watchedIds().size).toBe(500);
  });

  it.each(["", "{", "null", "{}", '"text"', "[1, null, [], [2, 3], {}]"])(
    "is nothing where something else is stored: %j",
    (stored) => {
      localStorage.setItem("watched-videos", stored);
      localStorage.setItem("player:resume", stored);
      expect(watchedIds().size).toBe(0);
      rememberFinished("a");
      expect(watchedIds().has("a")).toBe(true);
    },
  );

  it("is nothing where the browser refuses to store", () => {
    const refuse = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("refused", "QuotaExceededError");
    });
    expect(() => rememberFinished("a")).not.toThrow();
    expect(watchedIds().size).toBe(0);
    refuse.mockRestore();
  });
});
