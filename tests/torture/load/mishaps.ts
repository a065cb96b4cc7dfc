import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import type { SiteProcess } from "../../site-process";

/** What goes wrong around a site, for a while. */
export interface Mishap {
  name: string;
  /** What uploads may be answered with meanwhile; everything else goes on as ever. */
  refusals: readonly number[];
  /** The only answer that an upload may have in the middle of it. */
  answer?: number;
  /** Does it for so long, uploads in the middle of it, and returns when it is over. */
  run(site: SiteProcess, ms: number, upload: () => Promise<void>): Promise<void>;
}

const HOUR_MS = 3_600_000;
const BUSY = 503;
const FULL = 507;
const MAX_ENCODERS = 5;
const BLOCK = Buffer.alloc(4 * 1024 * 1024);

/** Another program holds the database for writing. */
const locked: Mishap = {
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

/** ffmpeg dies, as by the kernel when there is no memory; also the one that looks at an upload. */
const encodersDie: Mishap = {
  name: "encoders die",
  refusals: [BUSY],
  async run(site, ms, upload) {
    await upload();
    const until = Date.now() + ms;
    for (let killed = 0; killed < MAX_ENCODERS && Date.now() < until; ) {
      for (const pid of programsOf(site.child!.pid!)) {
        try {
          process.kill(pid, "SIGKILL");
          killed += 1;
        } catch {
          // It has ended by itself.
        }
      }
      await pause(100);
    }
  },
};

/** Every ffmpeg below a process. */
function programsOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  return fs.readdirSync(tasks).flatMap((task) => {
    try {
      const children = fs.readFileSync(`${tasks}/${task}/children`, "utf8").trim();
      return children
        .split(" ")
        .filter(Boolean)
        .map(Number)
        .flatMap((child) => (isEncoder(child) ? [child] : programsOf(child)));
    } catch {
      return [];
    }
  });
}

function isEncoder(pid: number): boolean {
  return fs.readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "ffmpeg";
}

const diskFills: Mishap = {
  name: "the disk is full",
  refusals: [FULL, BUSY],
  answer: FULL,
  async run(site, ms, upload) {
    const file = path.join(site.uploads, "of-somebody-else");
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

const clockJumps = (name: string, ms: number): Mishap => ({
  name: `the clock is ${name}`,
  refusals: [],
  async run(site, wrongMs, upload) {
    fs.writeFileSync(clockFile(site), String(ms));
    await pause(wrongMs);
    await upload();
    fs.rmSync(clockFile(site));
  },
});

/** Read by `clock.mjs`. */
export const clockFile = (site: SiteProcess): string => path.join(site.folder, "clock");

/** @param isOwnDisk whether the uploads are on a disk of their own, which can be filled. */
export function mishaps(isOwnDisk: boolean): Mishap[] {
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

/** A disk in memory for the uploads; false where this user may not mount one. */
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
