import { act, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PLACEHOLDER_URL } from "~/features/catalogue/poster";
import { loadHoverPreview, VideoCard, VideoGrid } from "~/features/catalogue/video-card";
import { RelatedVideos } from "~/features/watch/related-videos";
import { previewStart } from "~/shared/streams/preview-files";
import type { VideoCardData } from "~/shared/video-card";
import { ToastProvider } from "~/ui/feedback/toast";
import { renderAt as renderPageAt } from "./page";

// @vitest-environment jsdom

// jsdom can't play videos.
Object.assign(HTMLMediaElement.prototype, { pause() {}, load() {} });

const renderAt = (element: ReactNode) => renderPageAt(<ToastProvider>{element}</ToastProvider>);

const NOW = Date.parse("2026-01-31T12:00:00Z");

function videoNamed(id: string, more: Partial<VideoCardData> = {}): VideoCardData {
  return {
    id,
    title: `Video ${id}`,
    category: "pornstar",
    duration: "5:30",
    views: 1250,
    createdAt: "2026-01-29T12:00:00Z",
    thumbnailUrl: "/media/thumbnails/u/1.webp",
    previewUrl: "/media/videos/u/1.mp4",
    ...more,
  };
}

const card = (video = videoNamed("a"), rank?: number) => (
  <VideoCard video={video} to={`/video/${video.id}`} now={NOW} rank={rank} />
);
const playing = () => document.querySelectorAll("video").length;

describe("a video card", () => {
  it("is one link with the category, duration, title, short count and age", () => {
    renderAt(card());
    const link = screen.getByRole("link", { name: /Video a/ });
    expect(link.getAttribute("href")).toBe("/video/a");
    expect(screen.getAllByRole("link")).toHaveLength(1);
    expect(link.textContent).toContain("Model/Star");
    expect(link.textContent).toContain("5:30");
    expect(link.textContent).toContain("1.3K views");
    expect(link.textContent).toContain("2 days ago");
  });

  it("loads its thumbnail lazily into reserved space", () => {
    renderAt(card());
    const thumbnail = document.querySelector("img");
    expect(thumbnail?.getAttribute("loading")).toBe("lazy");
    expect([thumbnail?.getAttribute("width"), thumbnail?.getAttribute("height")]).toEqual([
      "640",
      "360",
    ]);
  });

  it("shows the thumbnail's colors while it loads, or else the video's gradient", () => {
    renderAt(card(videoNamed("a", { posterColors: "ff000000ff000000ffffffff" })));
    const poster = document.querySelector<HTMLElement>(".poster");
    const colors = ["--nw", "--ne", "--sw", "--se"].map((n) => poster?.style.getPropertyValue(n));
    expect(colors).toEqual(["#ff0000", "#00ff00", "#0000ff", "#ffffff"]);
    expect(poster?.classList).toContain("poster-own");
    renderAt(card(videoNamed("b")));
    const other = document.querySelector<HTMLElement>(".poster:not(.poster-own)");
    expect(other?.style.getPropertyValue("--hue")).toMatch(/^\d+$/);
  });

  it("shows the stock placeholder if there is no thumbnail", () => {
    renderAt(card(videoNamed("a", { thumbnailUrl: null })));
    expect(document.querySelector("img")?.getAttribute("src")).toBe(PLACEHOLDER_URL);
  });

  it("shows ranks 1 to 3 only in a ranked grid", () => {
    const videos = ["a", "b", "c", "d"].map((id) => videoNamed(id));
    const grid = (ranked: boolean) => (
      <VideoGrid videos={videos} hrefFor={(id) => `/video/${id}`} now={NOW} ranked={ranked} />
    );
    const { unmount } = renderAt(grid(true));
    expect(screen.getAllByText("Rank").map((label) => label.parentElement?.textContent)).toEqual([
      "Rank #1",
      "Rank #2",
      "Rank #3",
    ]);
    unmount();
    renderAt(grid(false));
    expect(screen.queryByText("Rank")).toBeNull();
  });
});

describe("a video card with browser data", () => {
  beforeEach(() => {
    localStorage.clear();
    vi.stubGlobal("matchMedia", () => ({ matches: true }));
  });
  afterEach(() => {
    localStorage.clear();
    vi.unstubAllGlobals();
  });

  it("shows the watched part as a progress bar with an accessible label", () => {
    localStorage.setItem("visitor", '{"resume":[["a",83],["b",20],["c",900]]}');
    const ids = ["a", "b", "c", "d"];
    const videos = ids.map((id) => videoNamed(id, id === "b" ? { duration: "0:00" } : {}));
    renderAt(<VideoGrid videos={videos} hrefFor={(id) => `/video/${id}`} now={NOW} />);
    const lines = screen.getAllByRole("link").map((link) => link.querySelector(".watched-line"));
    expect(lines.map((line) => line?.textContent)).toEqual([
      "Watched: 25%",
      undefined,
      "Watched: 100%",
      undefined,
    ]);
    const bar = lines[0]?.querySelector<HTMLElement>(".bg-accent");
    expect(Number.parseFloat(bar?.style.width ?? "")).toBeCloseTo((83 / 330) * 100);
  });

  it.each(["{", '{"a":1}', '[["a","x"],5,null]', "[]"])(
    "doesn't show a progress bar if the stored history is %s",
    (text) => {
      localStorage.setItem("visitor", `{"resume":${text}}`);
      renderAt(card());
      expect(document.querySelector(".watched-line")).toBeNull();
    },
  );

  it("saves and removes the video with a button next to the link", async () => {
    renderAt(card());
    const button = screen.getByRole("button", { name: "Save Video a" });
    expect(button.closest("a")).toBeNull();
    expect(button.getAttribute("aria-pressed")).toBe("false");
    await userEvent.click(button);
    expect(button.getAttribute("aria-pressed")).toBe("true");
    expect(JSON.parse(localStorage.getItem("visitor") ?? "").saved).toEqual(["a"]);
    expect(screen.getByText("Find it under Saved (kept only in this browser).")).toBeTruthy();
    button.focus();
    await userEvent.keyboard(" ");
    expect(button.getAttribute("aria-pressed")).toBe("false");
    expect(screen.queryByText("elsewhere")).toBeNull();
  });

  it("saves the video only until the tab is closed and shows a message if the storage is full", async () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    renderAt(card());
    const button = screen.getByRole("button", { name: "Save Video a" });
    await userEvent.click(button);
    vi.restoreAllMocks();
    expect(button.getAttribute("aria-pressed")).toBe("true");
    expect(screen.getByText(/Saved until you close this tab/)).toBeTruthy();
    await userEvent.click(button);
    expect(button.getAttribute("aria-pressed")).toBe("false");
  });
});

describe("a video card opens", () => {
  // Before a click, the pointer is resting on the card.
  beforeEach(() => {
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each(["{Enter}", " "])("with the key %j", async (key) => {
    renderAt(card());
    screen.getByRole("link").focus();
    await userEvent.keyboard(key);
    expect(await screen.findByText("elsewhere")).toBeTruthy();
  });

  it.each(["{Enter}", " "])("among the related videos with the key %j", async (key) => {
    const hrefFor = (id: string) => `/video/${id}`;
    renderAt(
      <RelatedVideos videos={[videoNamed("a")]} category="desi" now={NOW} hrefFor={hrefFor} />,
    );
    screen.getByRole("link").focus();
    await userEvent.keyboard(key);
    expect(await screen.findByText("elsewhere")).toBeTruthy();
  });

  it("with a click", async () => {
    renderAt(card());
    await userEvent.click(screen.getByText("Video a"));
    expect(await screen.findByText("elsewhere")).toBeTruthy();
  });
});

describe("the hover preview", () => {
  beforeEach(async () => {
    await loadHoverPreview();
    vi.useFakeTimers();
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const enter = (element: Element, pointerType = "mouse") =>
    // jsdom's PointerEvent has no pointerType.
    fireEvent(
      element,
      Object.assign(new MouseEvent("pointerover", { bubbles: true }), { pointerType }),
    );
  const leave = (element: Element) =>
    fireEvent(element, new MouseEvent("pointerout", { bubbles: true }));
  const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const sources = () =>
    [...document.querySelectorAll("video source")].map((source) => source.getAttribute("src"));
  const articles = () => screen.getAllByRole("article");

  it("plays muted and looped after 500 ms, and is removed when the pointer leaves", async () => {
    renderAt(card());
    const [article] = articles();
    enter(article!);
    await wait(499);
    expect(playing()).toBe(0);
    await wait(1);
    const video = document.querySelector("video");
    expect(sources()).toEqual(["/media/videos/u/1.mp4"]);
    expect(video?.muted).toBe(true);
    leave(article!);
    expect(playing()).toBe(0);
  });

  it("starts when a pointer that was on the card before hydration moves", async () => {
    renderAt(card());
    const move = () =>
      fireEvent(
        articles()[0]!,
        Object.assign(new MouseEvent("pointermove", { bubbles: true }), { pointerType: "mouse" }),
      );
    move();
    await wait(300);
    move();
    await wait(200);
    expect(playing()).toBe(1);
    move();
    await wait(1_000);
    expect(playing()).toBe(1);
    leave(articles()[0]!);
    expect(playing()).toBe(0);
  });

  it("starts at 25 s, or in the middle if less than a second would be left", () => {
    expect([600, 90, 26].map(previewStart)).toEqual([25, 25, 25]);
    expect([25.5, 25, 6, 2].map(previewStart)).toEqual([12.75, 12.5, 3, 1]);
    expect([1.9, 0, Number.NaN].map(previewStart)).toEqual([0, 0, 0]);
  });

  it.each([
    [90, 25],
    [20, 10],
  ])(
    "of a file of %s s starts at %s s and loops back to that position",
    async (duration, start) => {
      const play = vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
      renderAt(card());
      enter(articles()[0]!);
      await wait(500);
      const video = document.querySelector("video")!;
      expect(video.loop).toBe(false);
      Object.defineProperty(video, "duration", { value: duration });
      fireEvent.loadedMetadata(video);
      expect(video.currentTime).toBe(start);
      video.currentTime = duration;
      fireEvent.ended(video);
      expect(video.currentTime).toBe(start);
      expect(play).toHaveBeenCalledTimes(1);
      play.mockRestore();
    },
  );

  it("plays a generated clip from its beginning in a loop", async () => {
    renderAt(card(videoNamed("a", { previewUrl: "/c/preview-a.mp4", previewIsClip: true })));
    enter(articles()[0]!);
    await wait(500);
    const video = document.querySelector("video")!;
    Object.defineProperty(video, "duration", { value: 8 });
    fireEvent.loadedMetadata(video);
    expect(video.currentTime).toBe(0);
    expect(video.loop).toBe(true);
  });

  it("offers the AV1 clip first, if one exists", async () => {
    const folder = "/media/videos/u/1/preview-a1";
    renderAt(card(videoNamed("a", { previewUrl: `${folder}/h264.mp4` })));
    enter(articles()[0]!);
    await wait(500);
    expect(sources()).toEqual([`${folder}/av1.mp4`, `${folder}/h264.mp4`]);
    const [av1] = document.querySelectorAll("source");
    expect(av1?.type).toBe('video/mp4; codecs="av01.0.04M.08"');
  });

  it("doesn't start if the pointer only passes over the card", async () => {
    renderAt(card());
    enter(articles()[0]!);
    await wait(300);
    leave(articles()[0]!);
    await wait(1_000);
    expect(playing()).toBe(0);
  });

  it("plays on only one card at a time", async () => {
    renderAt(
      <>
        {card()}
        {card(videoNamed("b", { previewUrl: "/media/videos/u/2.mp4" }))}
      </>,
    );
    const [first, second] = articles();
    enter(first!);
    await wait(500);
    // No pointerout event is fired, as when the page scrolls under a pointer that isn't moving.
    enter(second!);
    await wait(500);
    expect(playing()).toBe(1);
    expect(sources()).toEqual(["/media/videos/u/2.mp4"]);
  });

  it("doesn't start on touch, with reduced motion, with the data saver on, or without a file", async () => {
    renderAt(card(videoNamed("a")));
    enter(articles()[0]!, "touch");
    await wait(1_000);
    expect(playing()).toBe(0);

    vi.stubGlobal("matchMedia", () => ({ matches: true }));
    enter(articles()[0]!);
    await wait(1_000);
    expect(playing()).toBe(0);

    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    Object.defineProperty(navigator, "connection", {
      value: { saveData: true },
      configurable: true,
    });
    enter(articles()[0]!);
    await wait(1_000);
    Reflect.deleteProperty(navigator, "connection");
    expect(playing()).toBe(0);
  });
});
