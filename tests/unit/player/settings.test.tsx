// @vitest-environment jsdom
import { act, cleanup, fireEvent } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { happen } from "./fake-video";
import { key, renderAgain, renderPlayer } from "./rendered-player";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  localStorage.clear();
  history.replaceState(null, "", "/");
});

const focused = () => document.activeElement;

const stored = () => JSON.parse(localStorage.getItem("visitor") ?? "{}");

describe("the settings menu", () => {
  it("can be operated with the keyboard: arrows wrap around, Escape goes back a page, then to the button", async () => {
    const { video, button, item, menu } = renderPlayer();
    const settings = button("Settings")!;
    const press = (keys: string) => userEvent.keyboard(keys);
    expect([settings.ariaHasPopup, settings.ariaExpanded]).toEqual(["menu", "false"]);
    settings.focus();
    await press(" ");
    expect([settings.ariaExpanded, focused()]).toEqual(["true", item("Speed")]);
    await press("{ArrowDown}{Enter}");
    expect([focused(), video.loop]).toEqual([item("Loop"), true]);
    expect(item("Loop")!.ariaChecked).toBe("true");
    await press("{End}");
    expect(focused()).toBe(item("Keyboard shortcuts"));
    await press("{ArrowDown}{Enter}");
    expect(focused()).toBe(item("Normal"));
    await press("{Escape}");
    expect(focused()).toBe(item("Speed"));
    await press("{Enter}{ArrowDown}{ArrowDown}{Enter}");
    expect([video.playbackRate, menu(), focused()]).toEqual([1.5, null, settings]);
    await press("{Enter}");
    expect(item("Speed")!.textContent).toBe("Speed1.5×");
    await press("{Escape}");
    expect([menu(), focused()]).toEqual([null, settings]);
    await press("{Enter}{End}{Enter}");
    expect(focused()).toBe(button("Close"));
    await press("{Escape}");
    expect(focused()).toBe(settings);
    await press("{Enter}{Tab}");
    expect([menu(), focused()]).toEqual([null, button("Theater mode")]);
  });

  it("leaves the space bar to the player, and hides the controls when closed with the mouse", () => {
    vi.useFakeTimers();
    const { video, button, press, menu, isIdle } = renderPlayer();
    const click = (label: string) => {
      fireEvent.pointerDown(button(label)!);
      press(label);
    };
    click("Settings");
    click("Speed");
    click("1.5×");
    expect([video.playbackRate, menu(), focused()]).toEqual([1.5, null, button("Settings")]);
    expect(key(" ")).toBe(false);
    expect([video.paused, menu()]).toEqual([false, null]);
    act(() => void vi.advanceTimersByTime(6_000));
    expect(isIdle()).toBe(true);
  });

  it("closes when the user clicks outside the player", () => {
    const { press, menu } = renderPlayer();
    press("Settings");
    fireEvent.pointerDown(document.body);
    expect(menu()).toBeNull();
  });
});

describe("stable volume", () => {
  const loudness = { lufs: -8, truePeak: 0 };
  const isOffered = (video = {}) => {
    const { press, item } = renderAgain(video);
    press("Settings");
    return item("Stable volume") !== undefined;
  };

  it("is offered if the loudness was measured and the browser supports it", () => {
    vi.stubGlobal("AudioContext", class {});
    // There is no MediaSource, as on an iPhone.
    expect(isOffered({ loudness })).toBe(false);
    vi.stubGlobal("MediaSource", class {});
    expect(isOffered({ loudness })).toBe(true);
    expect(isOffered()).toBe(false);
  });

  it("doesn't process the audio unless the gain has to change", async () => {
    const created = vi.fn();
    vi.stubGlobal(
      "AudioContext",
      class {
        state = "suspended";
        constructor() {
          created();
        }
        resume = async () => {};
      },
    );
    const play = async (video: object) => {
      renderAgain(video);
      await act(async () => void key("k"));
    };
    await play({ loudness });
    vi.stubGlobal("MediaSource", class {});
    await play({});
    await play({ loudness: { lufs: -16.2, truePeak: -3 } });
    localStorage.setItem("visitor", '{"evenLoudness":false}');
    await play({ loudness });
    expect(created).not.toHaveBeenCalled();
    localStorage.clear();
    await play({ loudness });
    expect(created).toHaveBeenCalledTimes(1);
  });
});

describe("stored player state", () => {
  it("includes volume, mute and speed", () => {
    const { slider } = renderPlayer();
    fireEvent.change(slider("Volume"), { target: { value: "0.35" } });
    key(">", { shiftKey: true });
    const { video } = renderAgain();
    expect([video.volume, video.muted, video.playbackRate]).toEqual([0.35, false, 1.25]);
    key("m");
    expect(renderAgain().video.muted).toBe(true);
  });

  it("doesn't include the temporary double speed of pressing and holding", () => {
    vi.useFakeTimers();
    const { video } = renderPlayer();
    key("k");
    const down = Object.assign(new MouseEvent("pointerdown", { button: 0 }), { isPrimary: true });
    fireEvent(video, down);
    vi.advanceTimersByTime(500);
    expect([video.playbackRate, stored().speed]).toEqual([2, 1]);
    vi.useRealTimers();
    expect(renderAgain().video.playbackRate).toBe(1);
  });

  it("includes the position, and the player resumes from it on request", () => {
    const { video } = renderPlayer();
    act(() => happen(video, "progress", { currentTime: 20 }));
    key("k");
    key("k");
    const next = renderAgain();
    expect([next.video.currentTime, next.video.paused]).toEqual([0, true]);
    next.press("Resume at 0:20");
    expect([next.video.currentTime, next.video.paused]).toEqual([20, false]);
    expect(next.button("Resume")).toBeUndefined();
    act(() => void window.dispatchEvent(new Event("pagehide")));
    const last = renderAgain();
    last.press("Start from the beginning");
    expect(last.button("Resume")).toBeUndefined();
    expect(last.video.currentTime).toBe(0);
  });

  it("isn't written when the browser blocks storage, but the video still plays", () => {
    for (const method of ["getItem", "setItem"] as const) {
      vi.spyOn(Storage.prototype, method).mockImplementation(() => {
        throw new DOMException("denied", "SecurityError");
      });
    }
    const { video, slider } = renderPlayer();
    key("k");
    fireEvent.change(slider("Volume"), { target: { value: "0.4" } });
    act(() => happen(video, "timeupdate", { currentTime: 30 }));
    expect([video.paused, video.volume]).toEqual([false, 0.4]);
    key("k");
    expect(video.paused).toBe(true);
  });
});

describe("a link with a start time", () => {
  it.each(["?from=home&t=12", "#t=12"])(
    "starts playback at that time and doesn't offer another position: %s",
    (link) => {
      localStorage.setItem("visitor", '{"resume":[["one",40]]}');
      history.replaceState(null, "", `/video/one${link}`);
      const { video, button } = renderPlayer();
      expect([video.currentTime, video.paused]).toEqual([12, true]);
      expect(button("Resume")).toBeUndefined();
    },
  );

  it("is copied from the menu, without other parameters", async () => {
    // Adds a clipboard to jsdom.
    userEvent.setup();
    history.replaceState(null, "", "/video/one?from=home");
    const { video, press, textOf } = renderPlayer();
    video.currentTime = 23.4;
    press("Settings");
    await act(async () => void press("Copy link at 0:23"));
    expect(textOf(".player-note")).toBe("Link copied");
    expect(await navigator.clipboard.readText()).toBe(`${location.origin}/video/one?t=23`);
    press("Settings");
    await act(async () => void press("Share"));
    expect(await navigator.clipboard.readText()).toBe(`${location.origin}/video/one`);
  });
});
