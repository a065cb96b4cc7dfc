/** Where a video is, and whether it is playing. */
export interface Place {
  /** Seconds. */
  at: number;
  playing: boolean;
}

interface Continuation {
  place: Place;
  stop: AbortController;
}

const pending = new WeakMap<HTMLVideoElement, Continuation>();

/** Whether another source is loading in which playback goes on where it was. */
export function isContinuing(element: HTMLVideoElement): boolean {
  return pending.has(element);
}

/**
 * The place to go on from. While another source is loading the element itself says 0 and paused;
 * what counts then is where it was before, unless the visitor has moved it since.
 */
export function placeOf(element: HTMLVideoElement): Place {
  const before = pending.get(element)?.place;
  return {
    at: element.currentTime || (before?.at ?? 0),
    playing: !element.paused || (before?.playing ?? false),
  };
}

/** Pauses, also a video that would play on as soon as its other source has loaded. */
export function pause(element: HTMLVideoElement): void {
  const continuation = pending.get(element);
  if (continuation) continuation.place = { ...continuation.place, playing: false };
  element.pause();
}

/** Changes what the element plays, and goes on at that place as soon as its length is known. */
export function continueAt(element: HTMLVideoElement, place: Place, change: () => void): void {
  continueNothing(element);
  const stop = new AbortController();
  pending.set(element, { place, stop });
  change();
  element.addEventListener(
    "loadedmetadata",
    () => {
      const { at, playing } = placeOf(element);
      continueNothing(element);
      if (at > 0) element.currentTime = at;
      if (playing) void element.play().catch(() => {});
    },
    { signal: stop.signal },
  );
}

/** The video is another one now, or is left: nothing is to be continued any more. */
export function continueNothing(element: HTMLVideoElement): void {
  pending.get(element)?.stop.abort();
  pending.delete(element);
}
