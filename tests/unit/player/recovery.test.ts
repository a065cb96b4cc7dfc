// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RECONNECT_DELAYS_MS, STALL_CHECK_MS } from "~/features/player/constants";
import { observePlayback } from "~/features/player/playback-state";
import { watchForProblems } from "~/features/player/recovery";
import type { Source, SourceState } from "~/features/player/source";
import { createStore } from "~/ui/store";
import { fakeVideo, happen } from "./fake-video";

const MISSING = () => new Response(null, { status: 404 });
const FOUND = () => new Response("x", { status: 206 });
const UNREACHABLE = () => Promise.reject(new TypeError("Failed to fetch"));

let respond: () => Response | Promise<Response> = FOUND;
const fetched = vi.fn(async () => respond());

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", fetched);
  fetched.mockClear();
  respond = FOUND;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const FILE = { fileUrl: "/media/videos/u/1.mp4" };

function watched(file: Parameters<typeof watchForProblems>[3] = FILE) {
  const video = fakeVideo();
  const state = createStore<SourceState>({
    playing: "file",
    heights: [],
    chosen: "file",
    audioTracks: [],
    audioTrack: 0,
    height: 0,
    frameRate: 25,
    lost: false,
  });
  const reload = vi.fn();
  const source: Source = { state, choose() {}, chooseAudioTrack() {}, reload };
  const playback = observePlayback(video);
  const watch = watchForProblems(video, source, playback, file);
  return { video, state, reload, watch };
}

async function fail(video: HTMLVideoElement, code: number) {
  happen(video, "error", { error: { code } });
  await vi.advanceTimersByTimeAsync(0);
}

describe("an error event of the video element", () => {
  it.each([
    ["a file that does not exist", 4, MISSING, "missing"],
    ["an unsupported format", 4, FOUND, "unsupported"],
    ["a damaged file", 3, FOUND, "damaged"],
    ["no network", 2, UNREACHABLE, "connection"],
    ["no network from the beginning", 4, UNREACHABLE, "connection"],
    ["a failing server", 4, () => new Response(null, { status: 503 }), "connection"],
  ] as const)("%s", async (_, code, then, problem) => {
    const { video, watch } = watched();
    respond = then;
    await fail(video, code);
    expect(watch.problem.get()).toBe(problem);
    watch.close();
  });

  it("is detected even if it occurred before the scripts had loaded", async () => {
    const video = fakeVideo();
    happen(video, "error", { error: { code: 4 } });
    respond = MISSING;
    const state = createStore({ playing: "file", lost: false } as SourceState);
    const source: Source = { state, choose() {}, chooseAudioTrack() {}, reload() {} };
    const watch = watchForProblems(video, source, observePlayback(video), { fileUrl: "/x" });
    await vi.advanceTimersByTimeAsync(0);
    expect(watch.problem.get()).toBe("missing");
    watch.close();
  });

  it("is ignored if hls.js recovers from it", async () => {
    const { video, state, watch } = watched();
    state.set({ ...state.get(), playing: "adaptive" });
    await fail(video, 3);
    expect(watch.problem.get()).toBeUndefined();
    watch.close();
  });
});

describe("a file that the browser can't decode", () => {
  it("is shown as being converted while its stream is being encoded", async () => {
    const { video, watch } = watched({ ...FILE, streamIsComing: true });
    await fail(video, 4);
    expect(watch.problem.get()).toBe("preparing");
    watch.close();
  });

  it.each([
    [false, "unsupported"],
    [true, "preparing"],
  ] as const)(
    "is detected while only its audio plays (stream expected: %s)",
    async (streamIsComing, problem) => {
      const { video, watch } = watched({ ...FILE, streamIsComing });
      happen(video, "loadeddata", { videoWidth: 0 });
      expect(watch.problem.get()).toBe(problem);
      void video.play();
      expect(watch.problem.get()).toBe(problem);
      watch.close();
    },
  );

  it.each([
    ["whose URL has changed", MISSING],
    ["that can't be played further", FOUND],
  ])("is shown as being prepared if it only has a stream %s", async (_, then) => {
    const url = "/media/videos/u/1/hls-1/master.m3u8";
    const { video, watch } = watched({ fileUrl: url, hlsUrl: url });
    respond = then;
    await fail(video, 4);
    expect(watch.problem.get()).toBe("preparing");
    watch.close();
  });

  it("is detected if it loaded before the scripts, unless a stream is going to play", () => {
    for (const hlsUrl of [undefined, "/media/videos/u/1/hls-1/master.m3u8"]) {
      const video = fakeVideo();
      happen(video, "loadeddata", { videoWidth: 0 });
      const state = createStore({ playing: "file", lost: false } as SourceState);
      const source: Source = { state, choose() {}, chooseAudioTrack() {}, reload() {} };
      const watch = watchForProblems(video, source, observePlayback(video), { ...FILE, hlsUrl });
      expect(watch.problem.get()).toBe(hlsUrl ? undefined : "unsupported");
      watch.close();
    }
  });

  it("is not a problem once the stream is playing", () => {
    const { video, state, watch } = watched();
    happen(video, "loadeddata", { videoWidth: 0 });
    state.set({ ...state.get(), playing: "adaptive" });
    void video.play();
    expect(watch.problem.get()).toBeUndefined();
    watch.close();
  });
});

describe("a file that fails during playback", () => {
  const played = (at: number) => {
    const all = watched();
    all.video.currentTime = at;
    void all.video.play();
    happen(all.video, "timeupdate");
    return all;
  };

  it.each([
    ["breaks off", 2],
    ["can't be decoded", 3],
  ])(
    "is reloaded once at the same position when it %s, because it may have been replaced",
    async (_, code) => {
      const { video, watch, reload } = played(42);
      await fail(video, code);
      expect(watch.problem.get()).toBeUndefined();
      expect(reload).toHaveBeenCalledTimes(1);
      expect(reload).toHaveBeenCalledWith({ seconds: 42, playing: true });
      await fail(video, code);
      expect(reload).toHaveBeenCalledTimes(1);
      expect(watch.problem.get()).toBe(code === 2 ? "connection" : "damaged");
      watch.close();
    },
  );

  it("continues to play even though the failure paused it", async () => {
    const { video, watch, reload } = played(42);
    Object.assign(video, { error: { code: 3 } });
    video.pause();
    await fail(video, 3);
    expect(reload).toHaveBeenCalledWith({ seconds: 42, playing: true });
    watch.close();
  });

  it("is reloaded again when another part of it fails", async () => {
    const { video, watch, reload } = played(42);
    await fail(video, 3);
    video.currentTime = 60;
    happen(video, "timeupdate");
    await fail(video, 3);
    expect(watch.problem.get()).toBeUndefined();
    expect(reload).toHaveBeenLastCalledWith({ seconds: 60, playing: true });
    watch.close();
  });

  it("is not reloaded when it is missing", async () => {
    const { video, watch, reload } = played(42);
    respond = MISSING;
    await fail(video, 2);
    expect(watch.problem.get()).toBe("missing");
    expect(reload).not.toHaveBeenCalled();
    watch.close();
  });
});

describe("a lost connection", () => {
  it("is retried at growing intervals, and playback continues at the same position", async () => {
    const { video, watch, reload } = watched();
    video.currentTime = 42;
    void video.play();
    happen(video, "timeupdate");
    respond = UNREACHABLE;
    await fail(video, 2);
    fetched.mockClear();
    for (const [tries, wait] of RECONNECT_DELAYS_MS.entries()) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(fetched).toHaveBeenCalledTimes(tries);
      await vi.advanceTimersByTimeAsync(1);
      expect(fetched).toHaveBeenCalledTimes(tries + 1);
    }
    expect(reload).not.toHaveBeenCalled();
    respond = FOUND;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reload).toHaveBeenCalledWith({ seconds: 42, playing: true });
    expect(watch.problem.get()).toBeUndefined();
    watch.close();
  });

  it("is retried immediately when the browser is back online", async () => {
    const { video, watch, reload } = watched();
    respond = UNREACHABLE;
    await fail(video, 2);
    respond = FOUND;
    window.dispatchEvent(new Event("online"));
    await vi.advanceTimersByTimeAsync(0);
    expect(reload).toHaveBeenCalledTimes(1);
    watch.close();
  });

  it("is detected without an error after buffering for too long", async () => {
    const { video, watch } = watched();
    void video.play();
    respond = UNREACHABLE;
    happen(video, "waiting", { readyState: 1 });
    await vi.advanceTimersByTimeAsync(STALL_CHECK_MS);
    expect(watch.problem.get()).toBe("connection");
    watch.close();
  });

  it("restarts a download that has stalled if the server is reachable", async () => {
    const { video, watch, reload } = watched();
    video.currentTime = 7;
    void video.play();
    happen(video, "waiting", { readyState: 1 });
    await vi.advanceTimersByTimeAsync(STALL_CHECK_MS);
    expect(watch.problem.get()).toBeUndefined();
    expect(reload).toHaveBeenCalledWith({ seconds: 7, playing: true });
    watch.close();
  });

  it("is not assumed while a slow download is still receiving data", async () => {
    const { video, watch, reload } = watched();
    void video.play();
    happen(video, "waiting", { readyState: 1 });
    for (let second = 0; second < 40; second += 5) {
      await vi.advanceTimersByTimeAsync(5_000);
      happen(video, "progress");
    }
    expect(fetched).not.toHaveBeenCalled();
    expect(reload).not.toHaveBeenCalled();
    watch.close();
  });

  it("is handled the same way for the adaptive source", async () => {
    const { state, watch, reload } = watched();
    state.set({ ...state.get(), playing: "adaptive", lost: true });
    expect(watch.problem.get()).toBe("connection");
    await vi.advanceTimersByTimeAsync(RECONNECT_DELAYS_MS[0]);
    expect(reload).toHaveBeenCalledTimes(1);
    watch.close();
  });
});

describe("retrying", () => {
  it("plays from the same position immediately", async () => {
    const { video, watch, reload } = watched();
    video.currentTime = 12;
    happen(video, "timeupdate");
    respond = MISSING;
    await fail(video, 4);
    watch.retry();
    expect(reload).toHaveBeenCalledWith({ seconds: 12, playing: true });
    expect(watch.problem.get()).toBeUndefined();
    watch.close();
  });

  it("leaves no timer running after the visitor leaves the page", async () => {
    const { video, watch } = watched();
    respond = UNREACHABLE;
    void video.play();
    await fail(video, 2);
    watch.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
