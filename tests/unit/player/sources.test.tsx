// @vitest-environment jsdom
import { act, cleanup } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { happen } from "./fake-video";
import { key, renderPlayer, VIDEO } from "./rendered-player";

const HLS_URL = "/media/videos/u/1/hls/master.m3u8";

type Listener = (event: string, data: object) => void;

/** Fakes the parts of hls.js that the player uses. Tests provide the playlist and the network events. */
class FakeHls {
  static latest: FakeHls | undefined;
  static Events = {
    ERROR: "error",
    LEVEL_SWITCHED: "level",
    MANIFEST_PARSED: "parsed",
    MEDIA_ATTACHING: "attaching",
  };
  static ErrorTypes = { NETWORK_ERROR: "network", MEDIA_ERROR: "media" };
  static DefaultConfig = { loader: class {} };
  static isSupported = () => true;

  levels = [{ height: 180 }, { height: 90 }];
  nextLevel = -1;
  isDestroyed = false;
  startLoad = vi.fn();
  private listeners = new Map<string, Listener[]>();

  constructor(readonly config: { autoStartLoad: boolean; startPosition: number }) {
    FakeHls.latest = this;
  }
  on(event: string, listener: Listener): void {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }
  once = this.on;
  loadSource(): void {}
  /** The element has no duration or position until the first segment has loaded. */
  attachMedia(video: HTMLVideoElement): void {
    this.emit("attaching");
    video.src = "blob:stream";
    const nothing = { paused: true, currentTime: 0, readyState: 0, duration: Number.NaN };
    happen(video, "emptied", { ...nothing, hasPlayed: false });
  }
  destroy(): void {
    this.isDestroyed = true;
  }
  emit(event: string, data: object = {}): void {
    for (const listener of this.listeners.get(event) ?? []) listener(event, data);
  }
}

const script = { requests: 0, load: () => {} };
vi.mock("~/features/player/hls-module", () => ({
  HLS_MODULE_URL: "/hls.mjs",
  importHls: () =>
    new Promise((resolve) => {
      script.requests++;
      script.load = () => resolve({ default: FakeHls });
    }),
}));

beforeEach(() => {
  FakeHls.latest = undefined;
  script.requests = 0;
  vi.stubGlobal("MediaSource", class {});
  vi.stubGlobal("fetch", async () => new Response("x", { status: 206 }));
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  localStorage.clear();
  history.replaceState(null, "", "/");
  Reflect.deleteProperty(navigator, "connection");
});

/** Completes the import of hls.js. */
const loadScript = () =>
  act(async () => {
    // This is called right before the element's source changes or is kept.
    const isStarted = new Promise<void>((resolve) => {
      FakeHls.isSupported = () => {
        resolve();
        return true;
      };
    });
    script.load();
    await isStarted;
  });
const emit = (event: string, data?: object) => act(async () => FakeHls.latest!.emit(event, data));
const loadPlaylist = () => emit("parsed", { audioTracks: [] });
const loadSegment = (video: HTMLVideoElement) =>
  act(async () => happen(video, "loadedmetadata", { duration: 100, readyState: 4 }));
const sourceOf = (video: HTMLVideoElement) => video.getAttribute("src");

const renderStream = (more = {}) => renderPlayer({ hlsUrl: HLS_URL, ...more });

describe("a file that is playing before the stream is ready", () => {
  async function renderPlaying() {
    const all = renderStream();
    await act(async () => void key("k"));
    await loadScript();
    return all;
  }

  it("keeps playing until the next seek, and is then replaced by the stream", async () => {
    const all = renderStream();
    const { video, button } = all;
    await act(async () => void key("k"));
    const events: string[] = [];
    for (const event of ["emptied", "pause"]) {
      video.addEventListener(event, () => events.push(event));
    }
    await loadScript();
    expect([sourceOf(video), events]).toEqual([VIDEO.fileUrl, []]);

    await act(async () => void key("5"));
    await loadScript();
    expect([sourceOf(video), FakeHls.latest?.config.startPosition]).toEqual(["blob:stream", 50]);
    expect(button("Pause")).toBeDefined();
    await loadPlaylist();
    await loadSegment(video);
    expect([video.currentTime, video.paused]).toEqual([50, false]);
  });

  it("is replaced by the stream when it stalls", async () => {
    const { video } = await renderPlaying();
    await act(async () => happen(video, "waiting", { readyState: 2, currentTime: 30 }));
    await loadScript();
    expect(sourceOf(video)).toBe("blob:stream");
    await loadSegment(video);
    expect([video.currentTime, video.paused]).toEqual([30, false]);
  });

  it("can be paused and seeked while the stream loads", async () => {
    const { video, button, textOf } = await renderPlaying();
    await act(async () => void key("5"));
    await loadScript();
    expect(textOf(".player-waiting")).toBe("Buffering…");
    expect([textOf("[data-elapsed]"), textOf("[data-total]")]).toEqual(["0:50", "1:40"]);
    await act(async () => void key("k"));
    expect(button("Play")).toBeDefined();
    await act(async () => void key("ArrowRight"));
    await loadSegment(video);
    expect([video.currentTime, video.paused]).toEqual([60, true]);
  });

  it("keeps playing if the viewer chose the original", async () => {
    const { video, press } = await renderPlaying();
    press("Settings");
    press("Quality");
    press("Original");
    await act(async () => void key("5"));
    expect([sourceOf(video), video.currentTime, video.paused]).toEqual([VIDEO.fileUrl, 50, false]);
    expect(script.requests).toBe(1);
  });
});

describe("a stream", () => {
  async function renderReady() {
    const all = renderStream();
    await loadScript();
    await loadPlaylist();
    await loadSegment(all.video);
    return all;
  }

  it("starts at the time given in the link", async () => {
    history.replaceState(null, "", "/video/one?t=12");
    const { video } = await renderReady();
    expect(FakeHls.latest?.config.startPosition).toBe(12);
    expect([video.currentTime, video.paused]).toEqual([12, true]);
  });

  it("offers its qualities, Auto and the original", async () => {
    const { video, press, item, root } = await renderReady();
    const open = () => {
      press("Settings");
      press("Quality");
    };
    open();
    const items = [...root.querySelectorAll('[role="menuitemradio"]')];
    expect(items.map((one) => one.textContent)).toEqual(["Auto", "180p", "90p", "Original"]);
    expect(item("Auto")!.ariaChecked).toBe("true");
    press("90p");
    expect(FakeHls.latest!.nextLevel).toBe(1);
    press("Settings");
    expect(item("Quality")!.textContent).toBe("Quality90p");
    press("Quality");
    video.currentTime = 20;
    const stream = FakeHls.latest!;
    await act(async () => void press("Original"));
    expect([sourceOf(video), stream.isDestroyed]).toEqual([VIDEO.fileUrl, true]);
    expect(video.currentTime).toBe(20);
    open();
    press("Auto");
    await loadScript();
    expect([sourceOf(video), FakeHls.latest?.config.startPosition]).toEqual(["blob:stream", 20]);
  });

  it("falls back to the file if its playlist is missing", async () => {
    const { video, textOf } = renderStream();
    await act(async () => void key("5"));
    await loadScript();
    await act(async () => void key("k"));
    const response = { code: 404 };
    await emit("error", { fatal: true, type: "network", response });
    expect([sourceOf(video), video.paused]).toEqual([VIDEO.fileUrl, false]);
    expect(video.currentTime).toBe(50);
    expect(textOf('[role="alert"]')).toBeUndefined();
  });

  it("falls back to the file at the same position if segments are missing", async () => {
    const { video, press, item } = await renderReady();
    await act(async () => void key("k"));
    await act(async () => void key("8"));
    await emit("error", { fatal: false, type: "media" });
    expect(sourceOf(video)).toBe("blob:stream");
    await emit("error", { fatal: true, type: "network", response: { code: 416 } });
    expect([sourceOf(video), video.currentTime]).toEqual([VIDEO.fileUrl, 80]);
    expect(video.paused).toBe(false);
    press("Settings");
    press("Quality");
    expect(item("180p")).toBeUndefined();
  });

  it("reports a lost connection", async () => {
    const { video, textOf } = await renderReady();
    await emit("error", { fatal: true, type: "network" });
    expect(sourceOf(video)).toBe("blob:stream");
    expect(textOf('[role="alert"]')).toContain("Connection lost");
  });

  it.each([false, true])("is preloaded unless the data saver is on: %s", async (saveData) => {
    Object.defineProperty(navigator, "connection", { configurable: true, value: { saveData } });
    await renderReady();
    const { config, startLoad } = FakeHls.latest!;
    expect(config.autoStartLoad).toBe(!saveData);
    await act(async () => void key("k"));
    expect(startLoad).toHaveBeenCalledTimes(saveData ? 1 : 0);
  });
});

describe("a device with native HLS and without Media Source Extensions (iPhone)", () => {
  it("plays the playlist, or the file if the playlist fails", async () => {
    vi.unstubAllGlobals();
    vi.stubGlobal("fetch", async () => new Response("x", { status: 206 }));
    const video = { hlsUrl: HLS_URL };
    const all = renderPlayer(video, { element: { playsStreams: true } });
    expect([sourceOf(all.video), FakeHls.latest]).toEqual([HLS_URL, undefined]);
    await act(async () => void key("k"));
    await act(async () => happen(all.video, "error", { error: { code: 4 } }));
    expect([sourceOf(all.video), all.video.paused]).toEqual([VIDEO.fileUrl, false]);
    expect(all.textOf('[role="alert"]')).toBeUndefined();
  });
});
