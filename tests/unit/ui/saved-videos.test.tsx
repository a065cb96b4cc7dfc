// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { removeSavedVideos, saveVideo, useSavedVideos } from "~/features/visitor/saved-videos";

const KEY = "visitor";
const List = () => <output>{useSavedVideos().join(" ")}</output>;
const displayed = () => screen.getByRole("status").textContent;
const stored = () => JSON.parse(localStorage.getItem(KEY) ?? "{}").saved;

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("saved videos", () => {
  it("are stored without duplicates, and listed newest first", () => {
    render(<List />);
    act(() => ["a", "b", "c", "a"].forEach(saveVideo));
    expect(displayed()).toBe("a c b");
    act(() => removeSavedVideos(["c", "unknown"]));
    expect(displayed()).toBe("a b");
    expect(stored()).toEqual(["a", "b"]);
  });

  it("are limited to 500", () => {
    for (let n = 0; n <= 500; n++) saveVideo(`v${n}`);
    expect(stored()).toHaveLength(500);
    expect(stored()[0]).toBe("v500");
  });

  it("reflect changes made in another tab, and keep the videos saved there", () => {
    render(<List />);
    act(() => saveVideo("a"));
    localStorage.setItem(KEY, '{"saved":["b","a"]}');
    act(() => void window.dispatchEvent(new StorageEvent("storage", { key: KEY })));
    expect(displayed()).toBe("b a");
    localStorage.setItem(KEY, '{"saved":["c","b","a"]}');
    act(() => saveVideo("d"));
    expect(displayed()).toBe("d c b a");
  });

  it.each(["no JSON", "{}", "7", '[1, null, "a"]'])("can be added even if %s is stored", (text) => {
    localStorage.setItem(KEY, `{"saved":${text}}`);
    render(<List />);
    act(() => saveVideo("b"));
    expect(displayed()?.split(" ")[0]).toBe("b");
    expect(stored()).toEqual(text.includes("a") ? ["b", "a"] : ["b"]);
  });

  it("last until the page is closed if the browser blocks storage", () => {
    const throwError = () => {
      throw new DOMException("denied", "SecurityError");
    };
    vi.spyOn(Storage.prototype, "getItem").mockImplementation(throwError);
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(throwError);
    render(<List />);
    act(() => removeSavedVideos(displayed()?.split(" ") ?? []));
    act(() => saveVideo("a"));
    expect(displayed()).toBe("a");
  });
});
