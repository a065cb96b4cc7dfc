/**
 * jsdom's element plays nothing: this gives it a state that behaves as the standard says, so far as
 * the player asks. `load`, `play` and `pause` fire their events at once.
 */
export function fakeVideo({ duration = 100 } = {}): HTMLVideoElement {
  const video = document.createElement("video");
  const state = {
    paused: true,
    ended: false,
    duration,
    currentTime: 0,
    readyState: 4,
    videoWidth: 1280,
    seeking: false,
    error: null as MediaError | null,
    networkState: 1,
    playbackRate: 1,
    defaultPlaybackRate: 1,
    volume: 1,
    muted: false,
  };
  const events: Partial<Record<keyof typeof state, string>> = {
    volume: "volumechange",
    muted: "volumechange",
    playbackRate: "ratechange",
    currentTime: "seeked",
  };
  for (const key of Object.keys(state) as (keyof typeof state)[]) {
    Object.defineProperty(video, key, {
      configurable: true,
      get: () => state[key],
      set: (value) => {
        Object.assign(state, { [key]: value });
        const event = events[key];
        if (event) video.dispatchEvent(new Event(event));
      },
    });
  }
  const ranges = { length: 0, start: () => 0, end: () => 0 };
  Object.defineProperty(video, "buffered", { get: () => ranges });
  Object.defineProperty(video, "played", { get: () => ranges });
  video.play = async () => {
    state.paused = false;
    video.dispatchEvent(new Event("play"));
    video.dispatchEvent(new Event("playing"));
  };
  video.pause = () => {
    if (state.paused) return;
    state.paused = true;
    video.dispatchEvent(new Event("pause"));
  };
  video.load = () => {
    state.error = null;
    state.paused = true;
    state.currentTime = 0;
    video.dispatchEvent(new Event("emptied"));
    video.dispatchEvent(new Event("loadedmetadata"));
  };
  return video;
}

/** Sets properties that the standard makes read-only, and fires an event. */
export function happen(video: HTMLVideoElement, event: string, state: object = {}): void {
  for (const [key, value] of Object.entries(state)) Reflect.set(video, key, value);
  video.dispatchEvent(new Event(event));
}

/** An element's list of text tracks, which jsdom has none of. */
export function textTrackList(tracks: EventTarget[] = []): TextTrackList {
  const list = Object.assign(new EventTarget(), tracks, { length: tracks.length });
  return list as unknown as TextTrackList;
}
