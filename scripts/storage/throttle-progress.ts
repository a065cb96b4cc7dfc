const REPORT_EVERY_MS = 5_000;

/** Returns a function that reports a long command's progress, at most every five seconds. */
export function throttleProgress<T>(report: (progress: T) => void): (progress: T) => void {
  let reportedAt = performance.now();
  return (progress) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    report(progress);
  };
}
