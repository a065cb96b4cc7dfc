// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { resumePoint, saveResumePoint } from "~/features/player/memory";

describe("resume points", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    localStorage.clear();
  });

  it("are stored for each video in whole seconds", () => {
    saveResumePoint("a", 83.7, 600);
    saveResumePoint("b", 20, 600);
    expect(resumePoint("a")).toBe(83);
    expect(resumePoint("b")).toBe(20);
    expect(resumePoint("c")).toBeUndefined();
  });

  it.each([
    ["at the beginning", 9, 600],
    ["near the end of a short video", 51, 60],
    ["near the end of a long video", 35_000, 36_000],
    ["in a clip of 3 s", 2, 3],
  ])("are deleted once the position is %s", (_, seconds, duration) => {
    saveResumePoint("a", 30, 600);
    saveResumePoint("a", seconds, duration);
    expect(resumePoint("a")).toBeUndefined();
  });

  it("are kept only for the last hundred videos", () => {
    for (let video = 0; video < 120; video++) saveResumePoint(`v${video}`, 30, 600);
    expect(resumePoint("v19")).toBeUndefined();
    expect(resumePoint("v20")).toBe(30);
    expect(resumePoint("v119")).toBe(30);
  });

  it.each(["{", "null", "7", '{"a":1}', '[["a","x"],[5,5],"b",null]'])(
    "are ignored if the stored value is %s",
    (text) => {
      localStorage.setItem("visitor", `{"resume":${text}}`);
      expect(resumePoint("a")).toBeUndefined();
      saveResumePoint("a", 30, 600);
      expect(resumePoint("a")).toBe(30);
    },
  );

  it("are unavailable when the browser blocks storage", () => {
    vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
      throw new DOMException("denied", "SecurityError");
    });
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("denied", "SecurityError");
    });
    expect(() => saveResumePoint("a", 30, 600)).not.toThrow();
    expect(resumePoint("a")).toBeUndefined();
  });
});
