// @vitest-environment jsdom
import { cleanup, render, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { usePoster } from "~/features/player/stream-preloads";

const THUMBNAIL = "/media/thumbnails/u/1.jpg";
const SMALL = `${THUMBNAIL}?w=720`;

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function Video({ url }: { url: string | null }) {
  const [element, setElement] = useState<HTMLVideoElement | null>(null);
  // biome-ignore lint/a11y/useMediaCaption: nothing plays here.
  return <video ref={setElement} poster={usePoster(url, element)} />;
}

const poster = () => document.querySelector("video")?.getAttribute("poster") ?? null;

/** Renders a player that is `width` CSS pixels wide, and controls how its images load. */
function screenOf(width: number, { saveData = false, decode = () => Promise.resolve() } = {}) {
  vi.spyOn(HTMLVideoElement.prototype, "clientWidth", "get").mockReturnValue(width);
  const requested: string[] = [];
  class FakeImage {
    decode = decode;
    set src(url: string) {
      requested.push(url);
    }
  }
  vi.stubGlobal("Image", FakeImage);
  vi.stubGlobal("navigator", { ...navigator, connection: { saveData } });
  return requested;
}

describe("the player's poster", () => {
  it("is the smaller image on a phone", async () => {
    const requested = screenOf(412);
    render(<Video url={THUMBNAIL} />);
    await Promise.resolve();
    expect(poster()).toBe(SMALL);
    expect(requested).toEqual([]);
  });

  it("becomes the full-size image on a wide screen once it has loaded", async () => {
    let loaded = () => {};
    const requested = screenOf(1000, { decode: () => new Promise((done) => (loaded = done)) });
    render(<Video url={THUMBNAIL} />);
    expect(poster()).toBe(SMALL);
    expect(requested).toEqual([THUMBNAIL]);
    loaded();
    await waitFor(() => expect(poster()).toBe(THUMBNAIL));
  });

  it("stays small if the browser's data saver is on or the full-size image can't be decoded", async () => {
    const requested = screenOf(1000, { saveData: true });
    const { unmount } = render(<Video url={THUMBNAIL} />);
    await Promise.resolve();
    expect([poster(), requested]).toEqual([SMALL, []]);
    unmount();
    const failing = vi.fn(() => Promise.reject(new Error("broken")));
    screenOf(1000, { decode: failing });
    render(<Video url={THUMBNAIL} />);
    await waitFor(() => expect(failing).toHaveBeenCalled());
    expect(poster()).toBe(SMALL);
  });

  it("changes immediately when the video changes, and keeps its URL if it is on another server", async () => {
    screenOf(1000);
    const { rerender } = render(<Video url={THUMBNAIL} />);
    await waitFor(() => expect(poster()).toBe(THUMBNAIL));
    rerender(<Video url="/media/thumbnails/u/2.jpg" />);
    expect(poster()).toBe("/media/thumbnails/u/2.jpg?w=720");
    rerender(<Video url="https://pictures.example/1.jpg" />);
    expect(poster()).toBe("https://pictures.example/1.jpg");
    rerender(<Video url={null} />);
    expect(poster()).toBeNull();
  });
});
