/** What the controls show of the element. The element is the source of truth; this mirrors it. */
interface Playback {
  paused: boolean;
  ended: boolean;
  /** It has played, or been moved, since it was loaded. */
  started: boolean;
  /** The picture waits for the network. */
  buffering: boolean;
  muted: boolean;
  volume: number;
  speed: number;
  loop: boolean;
  /** Seconds; 0 until known. */
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

/** Follows the element's events; a listener hears only of changes, never of `timeupdate`. */
export function observePlayback(video: HTMLVideoElement) {
  let current = readPlayback(video);
  const listeners = new Set<() => void>();
  /** While another source of the same video loads, the controls show what goes on in a moment. */
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
    /** For the one property without an event: `loop`. */
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

/** Where a video is, and whether it is playing. */
export interface PlaybackPosition {
  seconds: number;
  playing: boolean;
}

interface SourceChange {
  position: PlaybackPosition;
  stop: AbortController;
}

const pending = new WeakMap<HTMLVideoElement, SourceChange>();

/** Whether another source is loading in which playback goes on at the same position. */
export function isChangingSource(element: HTMLVideoElement): boolean {
  return pending.has(element);
}

/**
 * The position to go on from. While another source is loading the element itself says 0 and paused;
 * what counts then is where it was before, unless the visitor has moved it since.
 */
export function playbackPosition(element: HTMLVideoElement): PlaybackPosition {
  const before = pending.get(element)?.position;
  return {
    seconds: element.currentTime || (before?.seconds ?? 0),
    playing: !element.paused || (before?.playing ?? false),
  };
}

/** Pauses, also a video that would play on as soon as its other source has loaded. */
export function pause(element: HTMLVideoElement): void {
  const change = pending.get(element);
  if (change) change.position = { ...change.position, playing: false };
  element.pause();
}

/** Changes what the element plays, and goes on at that position as soon as its length is known. */
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

/** The video is another one now, or is left: nothing is to be continued any more. */
export function cancelSourceChange(element: HTMLVideoElement): void {
  pending.get(element)?.stop.abort();
  pending.delete(element);
}
