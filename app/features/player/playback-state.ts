/** The state of the element as shown by the controls. The element is the source of truth; this state mirrors it. */
interface Playback {
  paused: boolean;
  ended: boolean;
  /** Whether the element has been played or seeked since it was loaded. */
  started: boolean;
  /** Whether playback is waiting for the network. */
  buffering: boolean;
  muted: boolean;
  volume: number;
  speed: number;
  loop: boolean;
  /** The duration in seconds; 0 until it is known. */
  duration: number;
}

const EVENTS =
  "abort canplay canplaythrough durationchange emptied ended error loadeddata loadedmetadata pause play playing ratechange seeked seeking stalled volumechange waiting".split(
    " ",
  );

const HAVE_CURRENT_DATA = 2;
const HAVE_FUTURE_DATA = 3;

function readPlayback(video: HTMLVideoElement): Playback {
  const needed = video.paused ? HAVE_CURRENT_DATA : HAVE_FUTURE_DATA;
  const wants = (!video.paused && !video.ended) || video.seeking;
  return {
    paused: video.paused,
    ended: video.ended,
    started: !video.paused || video.currentTime > 0 || video.played.length > 0,
    buffering: wants && video.readyState < needed && video.error === null,
    muted: video.muted || video.volume === 0,
    volume: video.volume,
    speed: video.playbackRate,
    loop: video.loop,
    duration: Number.isFinite(video.duration) ? video.duration : 0,
  };
}

export type PlaybackState = ReturnType<typeof observePlayback>;

/** Follows the element's events. Listeners are called only on changes, never on `timeupdate`. */
export function observePlayback(video: HTMLVideoElement) {
  let current = readPlayback(video);
  const listeners = new Set<() => void>();
  /** While another source for the same video is loading, returns the state from which playback will continue. */
  const duringChange = (next: Playback): Playback => {
    if (!isChangingSource(video)) return next;
    const { seconds, playing } = playbackPosition(video);
    return {
      ...next,
      paused: !playing,
      started: next.started || playing || seconds > 0,
      buffering: playing && video.error === null,
      duration: next.duration || current.duration,
    };
  };
  const refresh = () => {
    const next = duringChange(readPlayback(video));
    const keys = Object.keys(next) as (keyof Playback)[];
    if (keys.every((key) => next[key] === current[key])) return;
    current = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => current,
    /** This is needed after changing `loop`, the only property without an event. */
    refresh,
    subscribe(listener: () => void): () => void {
      if (listeners.size === 0) {
        for (const event of EVENTS) video.addEventListener(event, refresh);
        refresh();
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        for (const event of EVENTS) video.removeEventListener(event, refresh);
      };
    },
  };
}

/** A video's position, and whether it is playing. */
export interface PlaybackPosition {
  seconds: number;
  playing: boolean;
}

interface SourceChange {
  position: PlaybackPosition;
  stop: AbortController;
}

const pending = new WeakMap<HTMLVideoElement, SourceChange>();

/** Returns whether another source is being loaded to continue playback at the same position. */
export function isChangingSource(element: HTMLVideoElement): boolean {
  return pending.has(element);
}

/**
 * Returns the position to continue from. While another source is loading, the element itself reports that it is paused
 * at position 0, so the state from before the change is used, unless the visitor has seeked in the meantime.
 */
export function playbackPosition(element: HTMLVideoElement): PlaybackPosition {
  const before = pending.get(element)?.position;
  return {
    seconds: element.currentTime || (before?.seconds ?? 0),
    playing: !element.paused || (before?.playing ?? false),
  };
}

/** Pauses the video, even if it would resume once another source has loaded. */
export function pause(element: HTMLVideoElement): void {
  const change = pending.get(element);
  if (change) change.position = { ...change.position, playing: false };
  element.pause();
}

/** Changes the element's source and continues at the position once its metadata has loaded. */
export function changeSource(
  element: HTMLVideoElement,
  position: PlaybackPosition,
  change: () => void,
): void {
  cancelSourceChange(element);
  const stop = new AbortController();
  pending.set(element, { position, stop });
  change();
  element.addEventListener(
    "loadedmetadata",
    () => {
      const { seconds, playing } = playbackPosition(element);
      cancelSourceChange(element);
      if (seconds > 0) element.currentTime = seconds;
      if (playing) void element.play().catch(() => {});
    },
    { signal: stop.signal },
  );
}

/** Cancels a pending continuation because another video is shown or the page is left. */
export function cancelSourceChange(element: HTMLVideoElement): void {
  pending.get(element)?.stop.abort();
  pending.delete(element);
}
