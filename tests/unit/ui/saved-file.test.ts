// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseSavedFile, savedFile } from "~/features/visitor/saved-file";
import { addSavedVideos, savedVideos, saveVideo } from "~/features/visitor/saved-videos";
import { importReport } from "~/features/watch/saved-file-buttons";

const file = (videos: unknown, more = {}) =>
  JSON.stringify({ type: "saved-videos", version: 1, videos, ...more });

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

describe("the exported file of saved videos", () => {
  it("is parsed back into the exported data", () => {
    const ids = ["b", "a", "ü ' <b>"];
    const data = { resume: [["b", 30]], discreetTitles: true };
    expect(parseSavedFile(savedFile({ saved: ids, ...data }))).toEqual({ ids, ignored: 0, data });
    expect(parseSavedFile(savedFile({}))).toEqual({ ids: [], ignored: 0, data: {} });
  });

  it("is parsed without its invalid entries", () => {
    const videos = ["a", 7, null, "", "x".repeat(201), ["b"], { id: "c" }, "a", "d"];
    expect(parseSavedFile(file(videos))).toEqual({ ids: ["a", "d"], ignored: 6 });
  });

  it.each([
    ["invalid JSON", "saved"],
    ["nothing", ""],
    ["a number", "7"],
    ["null", "null"],
    ["a bare list", '["a"]'],
    ["another type", file(["a"], { type: "bookmarks" })],
    ["a newer version", file(["a"], { version: 2 })],
    ["an object instead of the list", file({ length: 3, 0: "a" })],
    ["a prototype", '{"__proto__":{"type":"saved-videos","version":1,"videos":["a"]}}'],
    ["deep nesting", "[".repeat(200_000)],
  ])("is rejected if it contains %s", (_, text) => {
    expect(parseSavedFile(text)).toBeUndefined();
  });
});

describe("an import of saved videos", () => {
  it("appends new videos to the saved videos and reports the counts", () => {
    saveVideo("a");
    expect(addSavedVideos(["b", "a", "c"])).toEqual({
      added: 2,
      known: 1,
      left: 0,
      isStored: true,
    });
    expect(savedVideos()).toEqual(["a", "b", "c"]);
    expect(addSavedVideos([])).toEqual({ added: 0, known: 0, left: 0, isStored: true });
  });

  it("never evicts previously saved videos, even if the list is full", () => {
    saveVideo("mine");
    const many = Array.from({ length: 600 }, (_, n) => `v${n}`);
    expect(addSavedVideos(many)).toMatchObject({ added: 499, left: 101 });
    expect(savedVideos()[0]).toBe("mine");
    expect(savedVideos()).toHaveLength(500);
  });

  it("reports when the browser can't store it", () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    expect(addSavedVideos(["a"])).toMatchObject({ added: 1, isStored: false });
    vi.restoreAllMocks();
    saveVideo("b");
    expect(savedVideos()).toEqual(["b", "a"]);
  });

  it("is summarized in a message", () => {
    expect(importReport(0, 0, 0, true)).toBeUndefined();
    expect(importReport(1, 2, 1, true)).toBe(
      "1 video was already saved. 2 videos weren’t added: you can save up to 500. " +
        "1 entry couldn’t be read and was skipped.",
    );
    expect(importReport(2, 0, 3, false)).toBe(
      "2 videos were already saved. 3 entries couldn’t be read and were skipped. " +
        "Saved until you close this tab. Your browser blocks storage for this site.",
    );
  });
});
