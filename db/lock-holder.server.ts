import fs from "node:fs";
import type { Database } from "better-sqlite3";
import { DatabaseBusyError, retryWhileBusy } from "./write-lock";

const UNKNOWN = "Another process";
/** The byte of the `-shm` file that whoever writes in WAL mode locks (https://www.sqlite.org/walformat.html). */
const WRITE_LOCK_BYTE = 120;
const MAX_COMMAND_LENGTH = 200;

/**
 * Runs a statement or a transaction, and tries again for 2 seconds while another process holds the lock.
 *
 * @throws {DatabaseBusyError} that names this process; the site's log has it too.
 */
export async function whenUnlocked<T>(sqlite: Database, attempt: () => T): Promise<T> {
  try {
    return await retryWhileBusy(attempt, undefined, () => lockHolder(sqlite.name));
  } catch (error) {
    if (error instanceof DatabaseBusyError && isServing(sqlite)) console.warn(error.message);
    throw error;
  }
}

/** Programs of the terminal have a busy timeout, and print the message themselves. */
function isServing(sqlite: Database): boolean {
  return sqlite.open && sqlite.pragma("busy_timeout", { simple: true }) === 0;
}

/**
 * Returns which process is writing to a database, such as `node restore.js (process 4711)`, for the log and the
 * operator. Linux alone says it; elsewhere, and once the lock is released, it is "Another process".
 */
export function lockHolder(databaseFile: string): string {
  try {
    const { dev, ino } = fs.statSync(`${databaseFile}-shm`, { bigint: true });
    const file = `${hex(major(dev))}:${hex(minor(dev))}:${ino}`;
    const pid = fs
      .readFileSync("/proc/locks", "utf8")
      .split("\n")
      // Such as `1: POSIX  ADVISORY  WRITE 4711 fe:00:2146318 120 120`; one that waits has `->`.
      .map((line) => line.trim().split(/\s+/))
      .find(
        ([, kind, , type, , lockedFile, first, last]) =>
          kind === "POSIX" &&
          type === "WRITE" &&
          lockedFile === file &&
          Number(first) <= WRITE_LOCK_BYTE &&
          (last === "EOF" || Number(last) >= WRITE_LOCK_BYTE),
      )?.[4];
    // In a container, a process outside of it has the number 0.
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
    // It has ended in the meantime.
  }
  if (!command) return `Process ${pid}`;
  const short =
    command.length > MAX_COMMAND_LENGTH ? `${command.slice(0, MAX_COMMAND_LENGTH)}…` : command;
  return `${short} (process ${pid})`;
}

/** As the kernel and glibc pack device numbers, see makedev(3). */
function major(device: bigint): bigint {
  return ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
}

function minor(device: bigint): bigint {
  return (device & 0xffn) | ((device >> 12n) & ~0xffn);
}

function hex(number: bigint): string {
  return number.toString(16).padStart(2, "0");
}
