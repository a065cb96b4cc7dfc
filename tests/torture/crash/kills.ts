import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { SiteProcess } from "../../site-process";
import type { Random } from "../random";

const KILLS = ["site", "site and its child processes", "child processes", "power"] as const;
export type Kill = (typeof KILLS)[number];

/** Returns a process's child processes and all of their descendants. */
function descendantsOf(pid: number): number[] {
  let children: number[] = [];
  try {
    children = fs
      .readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => fs.readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
      .map(Number)
      .filter((child) => child > 0);
  } catch {
    // It has exited.
  }
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has exited.
    }
  }
}

/**
 * Kills processes with SIGKILL. To simulate a power failure, stops all processes first, and replaces the site's folder
 * with a copy made while they were stopped.
 * @returns what was killed. The site has to be started again unless the result is "child processes".
 */
export async function kill(site: SiteProcess, random: Random): Promise<Kill> {
  const child = site.child!;
  const kind = random.pick(KILLS);
  const descendants = descendantsOf(child.pid!);
  if (kind === "child processes") {
    signal(descendants, "SIGKILL");
    return kind;
  }
  const all = [child.pid!, ...descendants];
  const ended = once(child, "exit");
  if (kind === "power") {
    signal(all, "SIGSTOP");
    const copy = `${site.folder}-after`;
    execFileSync("cp", ["-a", "--reflink=auto", site.folder, copy]);
    signal(all, "SIGKILL");
    await ended;
    fs.rmSync(site.folder, { recursive: true });
    fs.renameSync(copy, site.folder);
    return kind;
  }
  signal(kind === "site" ? [child.pid!] : all, "SIGKILL");
  await ended;
  return kind;
}
