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

/** Changes what the element plays, and goes on at that place as soon as its length is known. */
export function continueAt(element: HTMLVideoElement, place: Place, change: () => void): void {
  continueNothing(element);
  const stop = new AbortController();
  pending.set(element, { place, stop });
  change();
  element.addEventListener(
    "loadedmetadata",
    () => {
      continueNothing(element);
      if (place.at > 0) element.currentTime = place.at;
      if (place.playing) void element.play().catch(() => {});
    },
    { signal: stop.signal },
  );
}

/** The video is another one now, or is left: nothing is to be continued any more. */
export function continueNothing(element: HTMLVideoElement): void {
  pending.get(element)?.stop.abort();
  pending.delete(element);
}
