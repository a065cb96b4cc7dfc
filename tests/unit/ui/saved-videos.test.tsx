// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { removeSavedVideos, saveVideo, useSavedVideos } from "~/features/visitor/saved-videos";

const KEY = "visitor";
const List = () => <output>{useSavedVideos().join(" ")}</output>;
const shown = () => screen.getByRole("status").textContent;
const kept = () => JSON.parse(localStorage.getItem(KEY) ?? "{}").saved;

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("the saved videos", () => {
  it("are the latest first, each once, kept for the next page", () => {
    render(<List />);
    act(() => ["a", "b", "c", "a"].forEach(saveVideo));
    expect(shown()).toBe("a c b");
    act(() => removeSavedVideos(["c", "unknown"]));
    expect(shown()).toBe("a b");
    expect(kept()).toEqual(["a", "b"]);
  });

  it("are at most 500", () => {
    for (let n = 0; n <= 500; n++) saveVideo(`v${n}`);
    expect(kept()).toHaveLength(500);
    expect(kept()[0]).toBe("v500");
  });

  it("follow another tab, and lose nothing that it saved", () => {
    render(<List />);
    act(() => saveVideo("a"));
    localStorage.setItem(KEY, '{"saved":["b","a"]}');
    act(() => void window.dispatchEvent(new StorageEvent("storage", { key: KEY })));
    expect(shown()).toBe("b a");
    localStorage.setItem(KEY, '{"saved":["c","b","a"]}');
    act(() => saveVideo("d"));
    expect(shown()).toBe("d c b a");
  });

  it.each(["no JSON", "{}", "7", '[1, null, "a"]'])("take %s for what it is", (text) => {
    localStorage.setItem(KEY, `{"saved":${text}}`);
    render(<List />);
    act(() => saveVideo("b"));
    expect(shown()?.split(" ")[0]).toBe("b");
    expect(kept()).toEqual(text.includes("a") ? ["b", "a"] : ["b"]);
  });

  it("last as long as the page where the browser keeps nothing", () => {
    const refuse = () => {
      throw new DOMException("refused", "SecurityError");
    };
    vi.spyOn(Storage.prototype, "getItem").mockImplementation(refuse);
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(refuse);
    render(<List />);
    act(() => removeSavedVideos(shown()?.split(" ") ?? []));
    act(() => saveVideo("a"));
    expect(shown()).toBe("a");
  });
});
