import fs from "node:fs";
import type { Database } from "better-sqlite3";
import { DatabaseBusyError, retryWhileBusy } from "./write-lock";

const UNKNOWN = "Another process";
/** The byte of the `-shm` file that a writer locks in WAL mode (https://www.sqlite.org/walformat.html). */
const WRITE_LOCK_BYTE = 120;
const MAX_COMMAND_LENGTH = 200;

/**
 * Runs a statement or a transaction, and retries for 2 seconds while another process holds the lock.
 *
 * @throws {DatabaseBusyError} with the name of that process. The site logs it too.
 */
export async function whenUnlocked<T>(sqlite: Database, attempt: () => T): Promise<T> {
  try {
    return await retryWhileBusy(attempt, undefined, () => lockHolder(sqlite.name));
  } catch (error) {
    if (error instanceof DatabaseBusyError && isServing(sqlite)) console.warn(error.message);
    throw error;
  }
}

/** Whether this process is the server. Commands have a busy timeout and print the message themselves. */
function isServing(sqlite: Database): boolean {
  return sqlite.open && sqlite.pragma("busy_timeout", { simple: true }) === 0;
}

/**
 * Returns the process that is writing to a database, such as `node restore.js (process 4711)`, for the log and the
 * operator. Returns "Another process" if the process isn't known: always on systems other than Linux, and on Linux if
 * the lock has already been released.
 */
export function lockHolder(databaseFile: string): string {
  try {
    const { dev, ino } = fs.statSync(`${databaseFile}-shm`, { bigint: true });
    const file = `${hex(major(dev))}:${hex(minor(dev))}:${ino}`;
    const pid = fs
      .readFileSync("/proc/locks", "utf8")
      .split("\n")
      // A line looks like `1: POSIX ADVISORY WRITE 4711 fe:00:2146318 120 120`. A waiting process has `->` after the
      // number.
      .map((line) => line.trim().split(/\s+/))
      .find(
        ([, kind, , type, , lockedFile, first, last]) =>
          kind === "POSIX" &&
          type === "WRITE" &&
          lockedFile === file &&
          Number(first) <= WRITE_LOCK_BYTE &&
          (last === "EOF" || Number(last) >= WRITE_LOCK_BYTE),
      )?.[4];
    // A process outside this container is shown as 0.
    if (!pid || !(Number(pid) > 0)) return UNKNOWN;
    if (Number(pid) === process.pid) return `Another thread of this process (${pid})`;
    return describe(pid);
  } catch {
    return UNKNOWN;
  }
}

function describe(pid: string): string {
  let command = "";
  try {
    command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    // The process has exited in the meantime.
  }
  if (!command) return `Process ${pid}`;
  const short =
    command.length > MAX_COMMAND_LENGTH ? `${command.slice(0, MAX_COMMAND_LENGTH)}…` : command;
  return `${short} (process ${pid})`;
}

/** Returns the major device number. The kernel and glibc encode device numbers as described in makedev(3). */
function major(device: bigint): bigint {
  return ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
}

function minor(device: bigint): bigint {
  return (device & 0xffn) | ((device >> 12n) & ~0xffn);
}

function hex(number: bigint): string {
  return number.toString(16).padStart(2, "0");
}
