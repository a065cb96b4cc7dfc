import { monitorEventLoopDelay } from "node:perf_hooks";

/** What some work took of the thread it ran on, and of the memory of its process. */
export interface Held {
  /** The longest time in which nothing else had a turn. */
  longestMs: number;
  /** Bytes by which the process was larger than before, at most. */
  grownBytes: number;
}

export async function measureHeld(work: () => Promise<unknown>): Promise<Held> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  delay.enable();
  try {
    await work();
  } finally {
    delay.disable();
    clearInterval(timer);
  }
  most = Math.max(most, process.memoryUsage.rss());
  return { longestMs: delay.max / 1e6, grownBytes: most - before };
}
