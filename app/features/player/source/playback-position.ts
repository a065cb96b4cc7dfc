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
