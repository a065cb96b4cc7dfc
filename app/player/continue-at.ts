/**
 * Changes what the element plays and goes on at the same time, playing or not. A newer change of the
 * same element takes over from one that is still loading.
 */
export function continueAt(
  element: HTMLVideoElement,
  at: number,
  playing: boolean,
  change: () => void,
): void {
  pending.get(element)?.abort();
  const own = new AbortController();
  pending.set(element, own);
  change();
  element.addEventListener(
    "loadedmetadata",
    () => {
      own.abort();
      if (at > 0) element.currentTime = at;
      if (playing) void element.play().catch(() => {});
    },
    { signal: own.signal },
  );
}

/** Another video takes the place: nothing is to be continued any more. */
export function continueNothing(element: HTMLVideoElement): void {
  pending.get(element)?.abort();
}

const pending = new WeakMap<HTMLVideoElement, AbortController>();
