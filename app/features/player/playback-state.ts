import { isChangingSource, playbackPosition } from "./source/playback-position";

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

const EVENTS = [
  "abort",
  "canplay",
  "canplaythrough",
  "durationchange",
  "emptied",
  "ended",
  "error",
  "loadeddata",
  "loadedmetadata",
  "pause",
  "play",
  "playing",
  "ratechange",
  "seeked",
  "seeking",
  "stalled",
  "volumechange",
  "waiting",
] as const;

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

export interface PlaybackState {
  get(): Playback;
  subscribe(listener: () => void): () => void;
  /** For the one property without an event: `loop`. */
  refresh(): void;
}

/** Follows the element's events; a listener hears only of changes, never of `timeupdate`. */
export function observePlayback(video: HTMLVideoElement): PlaybackState {
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
    refresh,
    subscribe(listener) {
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
