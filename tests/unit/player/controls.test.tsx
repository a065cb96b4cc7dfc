// @vitest-environment jsdom
import { act, cleanup, createEvent, fireEvent } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  CONTROLS_HIDE_AFTER_PLAY_MS,
  CONTROLS_HIDE_AFTER_POINTER_MS,
  DOUBLE_TAP_WINDOW_MS,
  FEEDBACK_MS,
} from "~/features/player/constants";
import { happen } from "./fake-video";
import { key, renderPlayer } from "./rendered-player";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  localStorage.clear();
});

const wait = (milliseconds: number) => act(() => void vi.advanceTimersByTime(milliseconds));

describe("keyboard shortcuts", () => {
  it("seek, and show the total of repeated seeks until the feedback disappears", () => {
    const { video, textOf } = renderPlayer();
    key("ArrowRight");
    expect(textOf(".player-ripple")).toBe("Forward 10 s");
    key("ArrowRight");
    expect([video.currentTime, textOf(".player-ripple")]).toEqual([20, "Forward 20 s"]);
    wait(FEEDBACK_MS);
    expect(textOf(".player-ripple")).toBeUndefined();
    key("j");
    expect([video.currentTime, textOf(".player-ripple")]).toEqual([10, "Back 10 s"]);
    key("5");
    key("l");
    expect(video.currentTime).toBe(60);
  });

  it("play, mute, change the speed, toggle theater mode and list the shortcuts", () => {
    const { root, video, textOf, button } = renderPlayer();
    key(" ");
    expect([video.paused, textOf(".player-note")]).toEqual([false, "Play"]);
    key("k");
    expect([video.paused, textOf(".player-note")]).toEqual([true, "Pause"]);
    key("m");
    expect([video.muted, textOf(".player-level")]).toEqual([true, "Volume 0%"]);
    key("m");
    expect([video.muted, video.volume]).toEqual([false, 0.5]);
    key(">", { shiftKey: true });
    expect([video.playbackRate, textOf(".player-note")]).toEqual([1.25, "1.25×"]);
    key("t");
    expect(root.hasAttribute("data-theater")).toBe(true);
    expect(button("Theater mode")?.getAttribute("aria-pressed")).toBe("true");
    key("?", { shiftKey: true });
    expect(document.activeElement).toBe(button("Close"));
    expect(textOf('[role="dialog"]')).toContain("Previous / next frame (paused)");
    key("Escape");
    expect(textOf('[role="dialog"]')).toBeUndefined();
  });

  it("change the volume with the up and down keys only if the player has focus", () => {
    const { video, button, textOf } = renderPlayer();
    expect(key("ArrowDown")).toBe(true);
    expect(video.volume).toBe(1);
    button("Mute")!.focus();
    expect(key("ArrowDown")).toBe(false);
    key("ArrowDown");
    expect([video.volume, textOf(".player-level")]).toEqual([0.9, "Volume 90%"]);
    key("ArrowUp");
    expect(video.volume).toBe(0.95);
  });

  it("step by one frame, but only while the video is paused", () => {
    const { video } = renderPlayer();
    video.currentTime = 10;
    key(".");
    expect(video.currentTime).toBeCloseTo(10.06, 3);
    key(",");
    expect(video.currentTime).toBeCloseTo(10.02, 3);
    key("k");
    key(",");
    expect(video.currentTime).toBeCloseTo(10.02, 3);
  });

  it("are ignored while the user is typing or holding a modifier key", () => {
    const { root, video } = renderPlayer();
    const field = root.parentElement!.appendChild(document.createElement("input"));
    field.focus();
    for (const name of ["k", "m", "5", " ", "ArrowLeft", "?"]) expect(key(name)).toBe(true);
    field.blur();
    for (const modifier of ["ctrlKey", "altKey", "metaKey"]) {
      expect(key("k", { [modifier]: true })).toBe(true);
    }
    expect([video.paused, video.muted, video.currentTime]).toEqual([true, false, 0]);
  });

  it("toggle playback only once while held down, and seek at most five times a second", () => {
    const { video } = renderPlayer();
    for (let repeat = 0; repeat < 10; repeat++) {
      // The page doesn't scroll either.
      expect(key(" ", { repeat: repeat > 0 })).toBe(false);
    }
    expect(video.paused).toBe(false);
    key("k");
    key("ArrowRight");
    for (let at = 0; at < 1_000; at += 40) {
      const event = createEvent.keyDown(window, { key: "ArrowRight", repeat: true });
      Object.defineProperty(event, "timeStamp", { value: 5_000 + at });
      fireEvent(window, event);
    }
    expect(video.currentTime).toBe(60);
  });
});

describe("the control bar", () => {
  it("plays, pauses, seeks, mutes, and unmutes to 0.5", () => {
    const { video, press, button, slider } = renderPlayer();
    press("Forward 10 seconds");
    press("Forward 10 seconds");
    press("Back 10 seconds");
    expect(video.currentTime).toBe(10);
    press("Mute");
    expect([video.muted, slider("Volume").value]).toEqual([true, "0"]);
    press("Unmute");
    expect([video.muted, video.volume]).toEqual([false, 0.5]);
    press("Play");
    expect(video.paused).toBe(false);
    press("Pause");
    expect(video.paused).toBe(true);
    expect(button("Play")).toBeDefined();
  });

  it("sets the volume from 0 (muted) to 1", () => {
    const { video, slider, button } = renderPlayer();
    const set = (value: string) => fireEvent.change(slider("Volume"), { target: { value } });
    set("0");
    expect([video.volume, video.muted]).toEqual([0, true]);
    expect(button("Unmute")).toBeDefined();
    set("0.8");
    expect([video.volume, video.muted]).toEqual([0.8, false]);
    expect(slider("Volume").getAttribute("aria-valuetext")).toBe("80%");
  });

  it("seeks in steps of 0.1 and shows the elapsed and total time", () => {
    const { video, slider, textOf } = renderPlayer();
    fireEvent.change(slider("Seek"), { target: { value: "12.3" } });
    expect([video.currentTime, textOf("[data-elapsed]")]).toEqual([12.3, "0:12"]);
    expect([slider("Seek").ariaValueText, textOf("[data-total]")]).toEqual([
      "0:12 of 1:40",
      "1:40",
    ]);
  });

  it("keeps focus on the player when clicked", () => {
    const { root, button } = renderPlayer();
    expect(fireEvent.mouseDown(button("Mute")!)).toBe(false);
    expect(document.activeElement).toBe(root);
  });

  it("has no volume slider if only the device's hardware keys can change the volume", () => {
    const { slider, button } = renderPlayer({}, { element: { hasFixedVolume: true } });
    expect(slider("Volume")).toBeUndefined();
    expect(button("Mute")).toBeDefined();
  });
});

describe("the controls", () => {
  it("are hidden 5 s after playback starts", () => {
    const { isIdle } = renderPlayer();
    key("k");
    wait(CONTROLS_HIDE_AFTER_PLAY_MS - 1);
    expect(isIdle()).toBe(false);
    wait(1);
    expect(isIdle()).toBe(true);
  });

  it("are hidden 3 s after the mouse stops moving", () => {
    const { root, isIdle } = renderPlayer();
    key("k");
    wait(CONTROLS_HIDE_AFTER_PLAY_MS);
    const moveTo = (clientX: number) =>
      fireEvent(root, new MouseEvent("pointermove", { clientX, clientY: 5 }));
    moveTo(50);
    expect(isIdle()).toBe(false);
    wait(CONTROLS_HIDE_AFTER_POINTER_MS - 1);
    moveTo(55);
    wait(CONTROLS_HIDE_AFTER_POINTER_MS - 1);
    // Browsers also fire pointer events when the mouse hasn't moved.
    moveTo(55);
    expect(isIdle()).toBe(false);
    wait(1);
    expect(isIdle()).toBe(true);
  });

  it("stay visible while they are hovered or focused, the video is paused or a menu is open", async () => {
    const { root, isIdle, button, press } = renderPlayer();
    wait(60_000);
    expect(isIdle()).toBe(false);
    key("k");
    const bar = root.querySelector(".player-bar")!;
    act(() => void bar.dispatchEvent(new Event("pointerenter")));
    wait(60_000);
    expect(isIdle()).toBe(false);
    act(() => void bar.dispatchEvent(new Event("pointerleave")));
    wait(CONTROLS_HIDE_AFTER_POINTER_MS);
    expect(isIdle()).toBe(true);
    act(() => button("Mute")!.focus());
    wait(60_000);
    expect(isIdle()).toBe(false);
    act(() => button("Mute")!.blur());
    await act(async () => {});
    wait(CONTROLS_HIDE_AFTER_POINTER_MS);
    expect(isIdle()).toBe(true);
    press("Settings");
    wait(60_000);
    expect(isIdle()).toBe(false);
  });
});

describe("clicks on the video", () => {
  function renderVideoArea() {
    const all = renderPlayer();
    const box = { left: 0, top: 0, width: 100, height: 50 } as DOMRect;
    all.video.getBoundingClientRect = () => box;
    const events: string[] = [];
    for (const event of ["play", "pause"]) {
      all.video.addEventListener(event, () => events.push(event));
    }
    const click = (clientX: number) => fireEvent.click(all.video, { clientX, clientY: 20 });
    return { ...all, events, click };
  }

  it("start playback immediately the first time, but later toggle it only after the double-click window", () => {
    const { video, click } = renderVideoArea();
    click(70);
    expect(video.paused).toBe(false);
    wait(DOUBLE_TAP_WINDOW_MS + 1);
    click(70);
    wait(DOUBLE_TAP_WINDOW_MS - 1);
    expect(video.paused).toBe(false);
    wait(1);
    expect(video.paused).toBe(true);
    click(70);
    wait(DOUBLE_TAP_WINDOW_MS + 1);
    expect(video.paused).toBe(false);
    click(20);
    wait(DOUBLE_TAP_WINDOW_MS + 1);
    expect(video.paused).toBe(true);
  });

  it("seek toward the clicked side from the second click on, without toggling playback", () => {
    const { video, click, events, textOf } = renderVideoArea();
    video.currentTime = 40;
    click(80);
    wait(DOUBLE_TAP_WINDOW_MS);
    events.length = 0;
    click(10);
    click(10);
    expect([video.currentTime, textOf(".player-ripple")]).toEqual([30, "Back 10 s"]);
    click(10);
    expect([video.currentTime, textOf(".player-ripple")]).toEqual([20, "Back 20 s"]);
    for (let more = 0; more < 100; more++) click(10);
    wait(1_000);
    expect([video.currentTime, events]).toEqual([0, []]);
  });

  it("close an open menu without doing anything else", () => {
    const { click, press, menu, events } = renderVideoArea();
    press("Settings");
    expect(menu()).not.toBeNull();
    click(50);
    wait(1_000);
    expect([menu(), events]).toEqual([null, []]);
  });
});

describe("the player at the end of a video", () => {
  const next = { title: "A quiet morning", href: "/video/two" };
  const ends = (video: HTMLVideoElement) =>
    act(() => happen(video, "ended", { ended: true, paused: true, currentTime: 100 }));

  it("offers the next video, and then a replay if that is canceled", () => {
    const onNext = vi.fn();
    const { video, press, textOf, button } = renderPlayer({ next }, { onNext });
    ends(video);
    expect(textOf(".player-next")).toContain("A quiet morning");
    press("Cancel");
    expect(textOf(".player-next")).toBeUndefined();
    wait(20_000);
    expect(onNext).not.toHaveBeenCalled();
    press("Play again");
    expect([video.paused, video.currentTime]).toEqual([false, 0]);
    expect(button("Pause")).toBeDefined();
    ends(video);
    press("Play now");
    expect(onNext).toHaveBeenCalledTimes(1);
  });

  it("doesn't offer anything while the video loops", () => {
    const { video, press, textOf } = renderPlayer({ next });
    press("Settings");
    press("Loop");
    expect(video.loop).toBe(true);
    ends(video);
    expect(textOf(".player-next")).toBeUndefined();
  });
});

describe("fullscreen mode", () => {
  it("locks the screen to landscape, and has a button that switches to portrait and back", async () => {
    const calls: string[] = [];
    const orientation = Object.assign(new EventTarget(), {
      type: "portrait-primary",
      lock: async (to: string) => void calls.push(to),
      unlock: () => void calls.push("unlocked"),
    });
    vi.stubGlobal("screen", { ...screen, orientation });
    let fullscreen: Element | null = null;
    const show = async (element: Element | null) => {
      fullscreen = element;
      document.dispatchEvent(new Event("fullscreenchange"));
    };
    Object.defineProperties(document, {
      fullscreenElement: { configurable: true, get: () => fullscreen },
      exitFullscreen: { configurable: true, value: () => show(null) },
    });
    Object.assign(HTMLElement.prototype, {
      requestFullscreen(this: Element) {
        return show(this);
      },
    });
    const { root, press, button } = renderPlayer();
    const pressed = (label: string) => act(async () => void press(label));
    await pressed("Fullscreen");
    expect([fullscreen, root.hasAttribute("data-fullscreen")]).toEqual([root, true]);
    await pressed("Switch to portrait");
    await pressed("Switch to landscape");
    expect(button("Switch to portrait")).toBeDefined();
    await pressed("Exit fullscreen");
    expect(button("Switch to portrait")).toBeUndefined();
    expect(calls).toEqual(["landscape", "portrait", "landscape", "unlocked"]);
    Reflect.deleteProperty(HTMLElement.prototype, "requestFullscreen");
    Reflect.deleteProperty(document, "fullscreenElement");
    Reflect.deleteProperty(document, "exitFullscreen");
  });
});

describe("integration with the device", () => {
  it("shows the title and poster on the lock screen, and handles its buttons", () => {
    const handlers: Record<string, (details: object) => void> = {};
    const session = {
      metadata: null as MediaMetadataInit | null,
      setActionHandler: (action: string, handler: (details: object) => void) => {
        handlers[action] = handler;
      },
      setPositionState: vi.fn(),
    };
    vi.stubGlobal(
      "MediaMetadata",
      class {
        constructor(init: object) {
          Object.assign(this, init);
        }
      },
    );
    Object.defineProperty(navigator, "mediaSession", { configurable: true, value: session });
    const { video, unmount } = renderPlayer();
    expect(session.metadata?.title).toBe("A quiet evening");
    expect(session.metadata?.artwork?.[0]?.src).toMatch(/^http.*\/media\/thumbnails\/u\/1\.jpg$/);
    act(() => handlers.seekto!({ seekTime: 7 }));
    act(() => handlers.seekforward!({}));
    expect(video.currentTime).toBe(17);
    act(() => handlers.seekbackward!({}));
    act(() => handlers.play!({}));
    expect([video.currentTime, video.paused]).toEqual([7, false]);
    expect(session.setPositionState).toHaveBeenLastCalledWith({
      duration: 100,
      playbackRate: 1,
      position: 7,
    });
    act(() => handlers.pause!({}));
    expect([video.paused, handlers.nexttrack]).toEqual([true, null]);
    unmount();
    expect([session.metadata, handlers.play]).toEqual([null, null]);
    Reflect.deleteProperty(navigator, "mediaSession");
  });

  it("pauses the videos in other tabs when a video starts playing", async () => {
    vi.useRealTimers();
    const { video } = renderPlayer();
    const otherTab = new BroadcastChannel("player");
    const heard = new Promise((resolve) => {
      otherTab.onmessage = resolve;
    });
    key("k");
    await heard;
    expect(video.paused).toBe(false);
    otherTab.postMessage("playing");
    await vi.waitFor(() => expect(video.paused).toBe(true));
    otherTab.close();
  });
});

describe("a player that can't play its video", () => {
  it("shows the problem, and plays after a successful retry", async () => {
    vi.stubGlobal("fetch", async () => new Response(null, { status: 404 }));
    const { video, press, textOf } = renderPlayer();
    await act(async () => happen(video, "error", { error: { code: 4 } }));
    expect(textOf('[role="alert"]')).toContain("This video’s file is missing.");
    expect(textOf('[role="status"]')).toBe("");
    await act(async () => void press("Retry"));
    expect([video.paused, textOf('[role="alert"]')]).toEqual([false, undefined]);
  });

  it("leaves the play button unchanged if the browser blocks playback", async () => {
    const { video, press, button, textOf } = renderPlayer();
    video.play = () => Promise.reject(new DOMException("no gesture", "NotAllowedError"));
    await act(async () => void press("Play"));
    await act(async () => void fireEvent.click(video));
    expect(button("Play")).toBeDefined();
    expect(textOf('[role="alert"]')).toBeUndefined();
  });
});
