import { monitorEventLoopDelay } from "node:perf_hooks";

/** How some work affected its thread and its process. */
export interface Held {
  /** The longest time that it blocked the event loop. */
  longestMs: number;
  /** The peak growth of the process's resident memory. */
  grownBytes: number;
}

export async function measureHeld(work: () => Promise<unknown>): Promise<Held> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  delay.enable();
  try {
    await work();
  } finally {
    delay.disable();
    clearInterval(timer);
  }
  peak = Math.max(peak, process.memoryUsage.rss());
  return { longestMs: delay.max / 1e6, grownBytes: peak - before };
}
