// @vitest-environment jsdom
import { createRemixStub } from "@remix-run/testing";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { useEffect } from "react";
import { flushSync } from "react-dom";
import { createRoot, hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PlayerVideo } from "~/features/player/types";
import { VideoPlayer } from "~/features/player/video-player";
import { textTrackList } from "./fake-video";

const VIDEO: PlayerVideo = {
  id: "one",
  title: "A quiet evening",
  fileUrl: "/media/videos/u/1.mp4",
  posterUrl: "/media/thumbnails/u/1.jpg",
};

beforeEach(() => {
  // jsdom has this element but doesn't implement its methods.
  vi.spyOn(HTMLMediaElement.prototype, "load").mockImplementation(() => {});
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockImplementation(() => {});
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLMediaElement.prototype, "textTracks", "get").mockReturnValue(textTrackList());
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  localStorage.clear();
});

const video = () => document.querySelector("video")!;

/** Renders one task at a time, as a browser does. */
async function withoutAct(doings: () => Promise<void>): Promise<void> {
  const global = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  const before = global.IS_REACT_ACT_ENVIRONMENT;
  global.IS_REACT_ACT_ENVIRONMENT = false;
  await doings().finally(() => {
    global.IS_REACT_ACT_ENVIRONMENT = before;
    document.body.replaceChildren();
  });
}

function lasts(seconds: number) {
  Object.defineProperty(video(), "duration", { configurable: true, value: seconds });
  act(() => void video().dispatchEvent(new Event("durationchange")));
}

describe("the server-rendered HTML", () => {
  it("contains the browser's player with a poster, source and captions", () => {
    const captions = [{ url: "/c.vtt", language: "en", label: "English", default: true }];
    document.body.innerHTML = renderToString(<VideoPlayer video={{ ...VIDEO, captions }} />);
    expect(video().controls).toBe(true);
    expect(video().getAttribute("src")).toBe(VIDEO.fileUrl);
    expect(video().getAttribute("poster")).toBe(`${VIDEO.posterUrl}?w=720`);
    expect(document.querySelector("track")?.getAttribute("srclang")).toBe("en");
    expect(document.querySelector("button")).toBeNull();
    document.body.replaceChildren();
  });

  it("contains a message when there is no file", () => {
    const html = renderToString(<VideoPlayer video={{ ...VIDEO, fileUrl: "" }} />);
    expect(html).toContain("Video not available");
    expect(html).toContain("Please try again later.");
    expect(html).toContain(VIDEO.posterUrl);
    expect(html).not.toContain("<video");
  });
});

describe("hydration", () => {
  it("adds the controls after the server-rendered page has become interactive", async () => {
    document.body.innerHTML = renderToString(<VideoPlayer video={VIDEO} />);
    const then: boolean[] = [];
    function Page() {
      useEffect(() => queueMicrotask(() => then.push(video().controls)), []);
      return <VideoPlayer video={VIDEO} />;
    }
    await withoutAct(async () => {
      const root = hydrateRoot(document.body, <Page />);
      await vi.waitFor(() => expect(video().controls).toBe(false));
      root.unmount();
    });
    // At the end of the task that hydrates the page, the browser's own controls are still shown.
    expect(then).toEqual([true]);
  });

  it("adds the controls immediately after a client-side navigation", async () => {
    document.body.innerHTML = "<div></div>";
    await withoutAct(async () => {
      const root = createRoot(document.body.firstElementChild!);
      flushSync(() => root.render(<VideoPlayer video={VIDEO} />));
      expect(video().controls).toBe(false);
      expect(document.querySelector("[data-seek-bar]")).not.toBeNull();
      root.unmount();
    });
  });

  it("replaces the browser's controls with labeled ones", () => {
    render(<VideoPlayer video={VIDEO} />);
    expect(video().controls).toBe(false);
    lasts(330);
    for (const name of ["Play", "Back 10 seconds", "Forward 10 seconds", "Mute", "Settings"]) {
      screen.getByRole("button", { name });
    }
    const seek = screen.getByRole("slider", { name: "Seek" });
    expect(seek.getAttribute("step")).toBe("0.1");
    expect(seek.getAttribute("max")).toBe("330");
    expect(seek.getAttribute("aria-valuetext")).toBe("0:00 of 5:30");
  });

  it("keeps the element and its file when the same video gets another file", () => {
    const { rerender } = render(<VideoPlayer video={VIDEO} />);
    const before = video();
    rerender(<VideoPlayer video={{ ...VIDEO, fileUrl: "/media/videos/u/converted.mp4" }} />);
    expect(video()).toBe(before);
    expect(video().getAttribute("src")).toBe(VIDEO.fileUrl);
  });

  it("keeps the element but switches to the new file when the video changes", () => {
    const { rerender } = render(<VideoPlayer video={VIDEO} />);
    const before = video();
    video().playbackRate = 2;
    video().style.filter = "brightness(2)";
    rerender(<VideoPlayer video={{ ...VIDEO, id: "two", fileUrl: "/media/videos/u/2.mp4" }} />);
    expect(video()).toBe(before);
    expect(video().getAttribute("src")).toBe("/media/videos/u/2.mp4");
    expect(video().playbackRate).toBe(1);
    expect(video().style.filter).toBe("");
  });

  it("reloads the element for another video with the same file", () => {
    const { rerender } = render(<VideoPlayer video={VIDEO} />);
    vi.mocked(HTMLMediaElement.prototype.load).mockClear();
    rerender(<VideoPlayer video={{ ...VIDEO, id: "two" }} />);
    expect(HTMLMediaElement.prototype.load).toHaveBeenCalledTimes(1);
  });

  it("stops the download when the player is removed", () => {
    const { unmount } = render(<VideoPlayer video={VIDEO} />);
    const element = video();
    vi.mocked(HTMLMediaElement.prototype.load).mockClear();
    unmount();
    expect(element.hasAttribute("src")).toBe(false);
    expect(HTMLMediaElement.prototype.load).toHaveBeenCalledTimes(1);
  });

  it("doesn't rerender the player as time passes", () => {
    const { container } = render(<VideoPlayer video={VIDEO} />);
    lasts(100);
    const changes: MutationRecord[] = [];
    const observer = new MutationObserver((records) => changes.push(...records));
    observer.observe(container, { subtree: true, childList: true, attributes: true });
    Object.defineProperty(video(), "currentTime", { configurable: true, value: 42 });
    act(() => void video().dispatchEvent(new Event("timeupdate")));
    changes.push(...observer.takeRecords());
    observer.disconnect();
    const touched = new Set(changes.map(({ target }) => (target as Element).tagName));
    expect([...touched].every((tag) => ["DIV", "INPUT", "SPAN"].includes(tag))).toBe(true);
    expect(changes.length).toBeLessThan(8);
    expect(screen.getByRole("slider", { name: "Seek" })).toHaveProperty("value", "42");
    expect(container.querySelector("[data-elapsed]")?.textContent).toBe("0:42");
  });
});

describe("captions", () => {
  it("are rendered by the player, toggled by a button, and don't contain markup from the file", async () => {
    const cues = new EventTarget() as TextTrack;
    const cue = { getCueAsHTML: () => document.createTextNode("<b>Good evening</b>") };
    Object.assign(cues, { mode: "disabled", activeCues: [cue] });
    vi.mocked(
      Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "textTracks")!.get!,
    ).mockReturnValue(textTrackList([cues]));
    const captions = [{ url: "/c.vtt", language: "en", label: "English" }];
    render(<VideoPlayer video={{ ...VIDEO, captions }} />);
    const button = screen.getByRole("button", { name: "Captions" });
    expect(button.getAttribute("aria-pressed")).toBe("false");
    expect(cues.mode).toBe("disabled");
    fireEvent.click(button);
    expect(cues.mode).toBe("hidden");
    expect(screen.getByText("<b>Good evening</b>").tagName).toBe("P");
    fireEvent.click(button);
    expect(cues.mode).toBe("disabled");
    expect(screen.queryByText("<b>Good evening</b>")).toBeNull();
  });

  it("restore the last choice: the same track, another one in its language, or none", () => {
    const tracks = [1, 2, 3].map(() => Object.assign(new EventTarget(), { activeCues: [] }));
    vi.mocked(
      Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "textTracks")!.get!,
    ).mockReturnValue(textTrackList(tracks));
    const captions = [
      { url: "/1.vtt", language: "fr", label: "French" },
      { url: "/2.vtt", language: "en", label: "English" },
      { url: "/3.vtt", language: "en", label: "English (SDH)" },
    ];
    const shown = () => {
      fireEvent.click(screen.getByRole("button", { name: "Settings" }));
      const item = screen.getByRole("menuitem", { name: /^Captions/ });
      return item.textContent?.replace("Captions", "");
    };
    const see = (some = captions) => {
      cleanup();
      render(<VideoPlayer video={{ ...VIDEO, captions: some }} />);
      return shown();
    };
    expect(see()).toBe("Off");
    fireEvent.click(screen.getByRole("menuitem", { name: /^Captions/ }));
    fireEvent.click(screen.getByRole("menuitemradio", { name: "English (SDH)" }));
    expect(see()).toBe("English (SDH)");
    expect(see(captions.slice(0, 2))).toBe("English");
    expect(see(captions.slice(0, 1))).toBe("Off");
    see();
    fireEvent.click(screen.getByRole("button", { name: "Captions" }));
    expect(see()).toBe("Off");
  });
});

describe("captions for the next video on the same page", () => {
  const track = (text: string) => {
    const cue = { getCueAsHTML: () => document.createTextNode(text) };
    return Object.assign(new EventTarget(), { mode: "disabled", activeCues: [cue] });
  };
  const captionsOf = (name: string) => [{ url: `/${name}.vtt`, language: "en", label: "English" }];
  const list = () =>
    vi.mocked(Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "textTracks")!.get!);

  it("are shown if the previous video's captions were", () => {
    const [first, second] = [track("Good evening"), track("Good morning")];
    list().mockReturnValue(textTrackList([first]));
    const { rerender } = render(<VideoPlayer video={{ ...VIDEO, captions: captionsOf("one") }} />);
    fireEvent.click(screen.getByRole("button", { name: "Captions" }));
    screen.getByText("Good evening");

    list().mockReturnValue(textTrackList([second]));
    const next = { ...VIDEO, id: "two", fileUrl: "/2.mp4", captions: captionsOf("two") };
    rerender(<VideoPlayer video={next} />);
    expect(second.mode).toBe("hidden");
    screen.getByText("Good morning");
    expect(screen.queryByText("Good evening")).toBeNull();
  });

  it("stay off when the browser enables a default track", () => {
    const own = track("Good evening");
    const tracks = textTrackList([own]);
    list().mockReturnValue(tracks);
    render(<VideoPlayer video={{ ...VIDEO, captions: captionsOf("one") }} />);
    own.mode = "showing";
    act(() => void tracks.dispatchEvent(new Event("change")));
    expect(own.mode).toBe("disabled");
  });
});

describe("the next video", () => {
  const next = { title: "A quiet morning", href: "/video/two" };

  function ends() {
    Object.defineProperty(video(), "ended", { configurable: true, value: true });
    act(() => void video().dispatchEvent(new Event("ended")));
  }

  it("is opened once with the page's navigation, 8 s after the end", () => {
    vi.useFakeTimers();
    const onNext = vi.fn();
    const Page = createRemixStub([
      {
        path: "/",
        // The page passes new objects on every render.
        Component: () => (
          <VideoPlayer video={{ ...VIDEO, next: { ...next } }} onNext={(to) => onNext(to.href)} />
        ),
      },
    ]);
    const { rerender } = render(<Page />);
    ends();
    const card = screen.getByRole("region", { name: "Next video" });
    within(card).getByText("A quiet morning");
    for (let second = 0; second < 7; second++) act(() => void vi.advanceTimersByTime(1_000));
    expect(onNext).not.toHaveBeenCalled();
    act(() => void vi.advanceTimersByTime(1_000));
    expect(onNext).toHaveBeenCalledWith("/video/two");
    rerender(<Page />);
    act(() => void vi.advanceTimersByTime(20_000));
    expect(onNext).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
  });

  it("is canceled with Escape", () => {
    vi.useFakeTimers();
    const onNext = vi.fn();
    render(<VideoPlayer video={{ ...VIDEO, next }} onNext={onNext} />);
    ends();
    act(() => void fireEvent.keyDown(window, { key: "Escape" }));
    expect(screen.queryByRole("region", { name: "Next video" })).toBeNull();
    act(() => void vi.advanceTimersByTime(20_000));
    expect(onNext).not.toHaveBeenCalled();
    vi.useRealTimers();
  });
});
