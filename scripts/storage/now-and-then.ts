const SAY_EVERY_MS = 5_000;

/** Passes on what a long command says of its progress, every five seconds. */
export function nowAndThen<T>(say: (progress: T) => void): (progress: T) => void {
  let said = performance.now();
  return (progress) => {
    if (performance.now() - said < SAY_EVERY_MS) return;
    said = performance.now();
    say(progress);
  };
}
