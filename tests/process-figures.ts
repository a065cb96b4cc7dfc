import fs from "node:fs";

/** Resource usage of a process, read from Linux's /proc. */

export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes?.[1]) * 1024;
}

/**
 * Returns how many resident bytes aren't backed by files. Pages of executables and libraries are excluded, because the
 * number of resident pages varies too much.
 */
export function anonymousBytes(pid: number): number {
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes?.[1]) * 1024;
}

/** Returns how many bytes the process has read from files and sockets since its start. */
export function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

/** Returns how many of the process's descriptors refer to a file. */
export function countOpenDescriptors(pid: number, file: string): number {
  const folder = `/proc/${pid}/fd`;
  return fs.readdirSync(folder).filter((descriptor) => {
    try {
      return fs.readlinkSync(`${folder}/${descriptor}`) === file;
    } catch {
      // The descriptor was closed after the folder was read.
      return false;
    }
  }).length;
}

/** Returns the process's user and system time in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = fs
    .readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const CLOCK_TICKS_PER_SECOND = 100;
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

const POLL_MS = 50;
const pause = () => new Promise((next) => setTimeout(next, POLL_MS));

/** Waits until `condition` is true. There is no timeout except the test's. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause();
}

/** Waits until a figure hasn't changed for 20 readings, and returns it. */
export async function untilStable(figure: () => number): Promise<number> {
  const STILL_READINGS = 20;
  let last = figure();
  for (let same = 0; same < STILL_READINGS; ) {
    await pause();
    const now = figure();
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}
