import fs from "node:fs";

export type Report = ReturnType<typeof createReport>;

/** Returns an object that prints figures and checks limits. */
export function createReport() {
  let passed = 0;
  const failed: string[] = [];

  function check(
    name: string,
    value: number,
    unit: string,
    limit: string,
    isPassed: boolean,
  ): void {
    if (isPassed) passed += 1;
    else failed.push(name);
    const verdict = isPassed ? "PASS" : "FAIL";
    console.log(`  ${verdict}  ${name}: ${round(value)}${unit && ` ${unit}`} (${limit})`);
  }

  return {
    /** Prints a measurement that has no limit. */
    figure(name: string, value: number, unit: string): void {
      console.log(`        ${name}: ${round(value)} ${unit}`);
    },
    atMost(name: string, value: number, limit: number, unit = ""): void {
      check(name, value, unit, `at most ${limit}`, value <= limit);
    },
    atLeast(name: string, value: number, limit: number, unit = ""): void {
      check(name, value, unit, `at least ${limit}`, value >= limit);
    },
    /** Prints the summary. Returns whether all limits were met. */
    summarize(): boolean {
      for (const name of failed) console.log(`FAIL  ${name}`);
      console.log(`\n${passed} limits met, ${failed.length} missed`);
      return failed.length === 0;
    },
  };
}

function round(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function p95(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

/**
 * Returns the current time in milliseconds, minus the time that this thread has spent waiting for a CPU. This matters
 * because another process may occupy a CPU for longer than the measured work takes.
 */
export function ownTime(): number {
  const [, waited] = fs.readFileSync(SCHEDULER_STATISTICS, "utf8").split(" ");
  return performance.now() - Number(waited) / 1e6;
}

/** This file contains the time, in nanoseconds, that the main thread has spent running on a CPU and waiting for one. */
const SCHEDULER_STATISTICS = `/proc/self/task/${process.pid}/schedstat`;

/**
 * Measures the time that work takes.
 * @returns `ms`, the time on this thread (see `ownTime`), and `cpu`, the CPU time of all threads in milliseconds. Use
 *   `cpu` for work on other threads, because the time that these spend waiting for a CPU isn't known.
 */
export async function timed<T>(
  work: () => T | Promise<T>,
): Promise<{ result: T; ms: number; cpu: number }> {
  const [started, cpu] = [ownTime(), cpuMs()];
  const result = await work();
  return { result, ms: ownTime() - started, cpu: cpuMs() - cpu };
}

/** Returns the CPU time of all threads of this process in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Returns the longest time, in milliseconds, that the work blocks this thread. */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let last = ownTime();
  let longest = 0;
  const measure = () => {
    const now = ownTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measure, 1);
  await work();
  clearInterval(timer);
  // Work that never yields to the timer counts as a single block.
  measure();
  return longest;
}
