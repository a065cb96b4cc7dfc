import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import type { SiteProcess } from "../../site-process";

/** A temporary failure in a site's environment. */
export interface Disruption {
  name: string;
  /** Statuses that uploads may return during the disruption. Everything else must keep working. */
  refusals: readonly number[];
  /** The only status that uploads may return during the disruption, if set. */
  expected?: number;
  /** Causes the failure for some time, and calls `upload` during that time. Resolves when the failure is over. */
  run(site: SiteProcess, ms: number, upload: () => Promise<void>): Promise<void>;
}

const HOUR_MS = 3_600_000;
const BUSY = 503;
const FULL = 507;
const MAX_ENCODERS = 5;
const BLOCK = Buffer.alloc(4 * 1024 * 1024);

/** Another process holds the database's write lock. */
const locked: Disruption = {
  name: "the database is locked",
  refusals: [BUSY],
  async run(site, ms, upload) {
    const other = new Sqlite(site.databasePath, { timeout: 10_000 });
    let uploading: Promise<void> | undefined;
    try {
      other.exec("BEGIN IMMEDIATE");
      uploading = upload();
      await pause(ms);
      other.exec("COMMIT");
    } finally {
      other.close();
      await uploading;
    }
  },
};

/** Kills ffmpeg, as the kernel does when memory runs out. This includes the process that probes an upload. */
const encodersDie: Disruption = {
  name: "encoders die",
  refusals: [BUSY],
  async run(site, ms, upload) {
    await upload();
    const until = Date.now() + ms;
    for (let killed = 0; killed < MAX_ENCODERS && Date.now() < until; ) {
      for (const pid of encodersOf(site.child!.pid!)) {
        try {
          process.kill(pid, "SIGKILL");
          killed += 1;
        } catch {
          // It has exited.
        }
      }
      await pause(100);
    }
  },
};

/** Returns the ffmpeg processes among a process's descendants. */
function encodersOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  return fs.readdirSync(tasks).flatMap((task) => {
    try {
      const children = fs.readFileSync(`${tasks}/${task}/children`, "utf8").trim();
      return children
        .split(" ")
        .filter(Boolean)
        .map(Number)
        .flatMap((child) => (isEncoder(child) ? [child] : encodersOf(child)));
    } catch {
      return [];
    }
  });
}

function isEncoder(pid: number): boolean {
  return fs.readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "ffmpeg";
}

const diskFills: Disruption = {
  name: "the disk is full",
  refusals: [FULL, BUSY],
  expected: FULL,
  async run(site, ms, upload) {
    const file = path.join(site.uploads, "filler");
    try {
      for (;;) await fs.promises.appendFile(file, BLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      await Promise.all([pause(ms), upload()]);
    } finally {
      fs.rmSync(file, { force: true });
    }
  },
};

const clockJumps = (name: string, ms: number): Disruption => ({
  name: `the clock is ${name}`,
  refusals: [],
  async run(site, disruptionMs, upload) {
    fs.writeFileSync(clockFile(site), String(ms));
    await pause(disruptionMs);
    await upload();
    fs.rmSync(clockFile(site));
  },
});

/** This file is read by `clock.mjs`. */
export const clockFile = (site: SiteProcess): string => path.join(site.folder, "clock");

/**
 * Returns all disruptions.
 * @param isOwnDisk whether the uploads folder is on a separate disk, which can be filled.
 */
export function disruptions(isOwnDisk: boolean): Disruption[] {
  return [
    locked,
    encodersDie,
    ...(isOwnDisk ? [diskFills] : []),
    clockJumps("an hour ahead", HOUR_MS),
    clockJumps("an hour behind", -HOUR_MS),
    clockJumps("a day ahead", 24 * HOUR_MS),
    clockJumps("a day behind", -24 * HOUR_MS),
  ];
}

/** Mounts an in-memory disk for the uploads. Returns false if this user may not mount one. */
export function mountDisk(site: SiteProcess, megabytes: number): boolean {
  fs.mkdirSync(site.uploads, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", site.uploads], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}

export function unmountDisk(site: SiteProcess): void {
  execFileSync("umount", ["--lazy", site.uploads]);
}
