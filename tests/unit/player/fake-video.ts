import { vi } from "vitest";

const EVENTS: Record<string, string[]> = {
  volume: ["volumechange"],
  muted: ["volumechange"],
  playbackRate: ["ratechange"],
  currentTime: ["seeking", "seeked", "timeupdate"],
};

const states = new WeakMap<HTMLVideoElement, object>();

/**
 * Creates a video element with the parts of the HTML standard that the player uses, since jsdom can't play videos.
 * `load`, `play`, `pause` and seeks fire their events immediately. The exception is `loadedmetadata`.
 *
 * @param options.hasFixedVolume whether only hardware keys can change the volume, as on an iPhone.
 * @param options.playsStreams whether it plays HLS natively, as on an iPhone.
 */
export function fakeVideo({
  duration = 100,
  hasFixedVolume = false,
  playsStreams = false,
} = {}): HTMLVideoElement {
  // Works even after `useFakeVideos` has replaced the document's method.
  const video = Document.prototype.createElement.call(document, "video") as HTMLVideoElement;
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
    loop: false,
    hasPlayed: false,
  };
  states.set(video, state);
  const fire = (...events: string[]) => {
    for (const event of events) video.dispatchEvent(new Event(event));
  };
  for (const key of Object.keys(state) as (keyof typeof state)[]) {
    Object.defineProperty(video, key, {
      configurable: true,
      get: () => state[key],
      set: (value) => {
        if (hasFixedVolume && key === "volume") return;
        Object.assign(state, { [key]: value });
        if (key === "currentTime") state.ended = false;
        fire(...(EVENTS[key] ?? []));
      },
    });
  }
  const tracks = textTrackList();
  const buffered = { length: 0, start: () => 0, end: () => 0 };
  Object.defineProperties(video, {
    textTracks: { configurable: true, get: () => tracks },
    buffered: { get: () => buffered },
    played: {
      get: () => ({
        length: state.hasPlayed ? 1 : 0,
        start: () => 0,
        end: () => state.currentTime,
      }),
    },
  });
  video.canPlayType = () => (playsStreams ? "maybe" : "");
  video.play = async () => {
    if (state.ended) Object.assign(state, { ended: false, currentTime: 0 });
    Object.assign(state, { paused: false, hasPlayed: true });
    fire("play", "playing");
  };
  video.pause = () => {
    if (state.paused) return;
    state.paused = true;
    fire("pause");
  };
  video.load = () => {
    const { defaultPlaybackRate: playbackRate } = state;
    const fresh = { error: null, paused: true, ended: false, currentTime: 0, hasPlayed: false };
    Object.assign(state, fresh, { playbackRate });
    fire("emptied");
    queueMicrotask(() => fire("loadedmetadata"));
  };
  return video;
}

/** Replaces every video element that a component creates with a fake until all mocks are restored. */
export function useFakeVideos(options?: Parameters<typeof fakeVideo>[0]): void {
  vi.spyOn(document, "createElement").mockImplementation((name: string, more?: object) =>
    name === "video"
      ? fakeVideo(options)
      : Document.prototype.createElement.call(document, name, more),
  );
}

/** Sets properties that are read-only in the HTML standard, and fires an event. */
export function happen(video: HTMLVideoElement, event: string, state: object = {}): void {
  Object.assign(states.get(video) ?? {}, state);
  video.dispatchEvent(new Event(event));
}

/** Creates a list of text tracks, which jsdom doesn't implement. */
export function textTrackList(tracks: EventTarget[] = []): TextTrackList {
  const list = Object.assign(new EventTarget(), tracks, { length: tracks.length });
  return list as unknown as TextTrackList;
}
