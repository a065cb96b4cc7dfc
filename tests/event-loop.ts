import { monitorEventLoopDelay } from "node:perf_hooks";

/** The effects of a task on its thread and process. */
export interface Impact {
  /** The longest time that the task blocked the event loop. */
  longestBlockMs: number;
  /** The peak growth of the process's resident memory. */
  memoryGrowthBytes: number;
}

export async function measureImpact(work: () => Promise<unknown>): Promise<Impact> {
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
  return { longestBlockMs: delay.max / 1e6, memoryGrowthBytes: peak - before };
}
