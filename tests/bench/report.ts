import fs from "node:fs";

export type Report = ReturnType<typeof createReport>;

/** Prints figures, judges those that have a limit, and remembers whether all were met. */
export function createReport() {
  let met = 0;
  const missed: string[] = [];

  function judge(what: string, value: number, unit: string, limit: string, good: boolean): void {
    if (good) met += 1;
    else missed.push(what);
    const verdict = good ? "PASS" : "FAIL";
    console.log(`  ${verdict}  ${what}: ${round(value)}${unit && ` ${unit}`} (${limit})`);
  }

  return {
    /** A figure that is told and not judged. */
    figure(what: string, value: number, unit: string): void {
      console.log(`        ${what}: ${round(value)} ${unit}`);
    },
    atMost(what: string, value: number, limit: number, unit = ""): void {
      judge(what, value, unit, `at most ${limit}`, value <= limit);
    },
    atLeast(what: string, value: number, limit: number, unit = ""): void {
      judge(what, value, unit, `at least ${limit}`, value >= limit);
    },
    /** The closing line; whether every limit was met. */
    summarise(): boolean {
      for (const what of missed) console.log(`Missed: ${what}`);
      console.log(`\nlimits: ${met} met, ${missed.length} missed`);
      return missed.length === 0;
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
 * Milliseconds that have passed, without those in which this thread wanted to run and the machine ran
 * other processes instead: it may be shared, and what is measured takes less than a turn of theirs.
 */
export function ownTime(): number {
  const [, waited] = fs.readFileSync(SCHEDULER_FIGURES, "utf8").split(" ");
  return performance.now() - Number(waited) / 1e6;
}

/** Of the main thread: nanoseconds on a processor, and waiting for one. */
const SCHEDULER_FIGURES = `/proc/self/task/${process.pid}/schedstat`;

/**
 * @returns besides, the processor time of all threads. What a thread answers is judged by that: how
 *   long it had to wait for other processes is not known here.
 */
export async function timed<T>(
  work: () => T | Promise<T>,
): Promise<{ result: T; ms: number; cpu: number }> {
  const [started, cpu] = [ownTime(), cpuMs()];
  const result = await work();
  return { result, ms: ownTime() - started, cpu: cpuMs() - cpu };
}

/** Processor time of this process, all its threads, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** For how many milliseconds at most the work keeps this thread from anything else. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let last = ownTime();
  let longest = 0;
  const look = () => {
    const now = ownTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  // Work that never lets a timer have its turn is one hold.
  look();
  return longest;
}
