import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { SiteProcess } from "../../site-process";
import type { Random } from "../random";

const KILLS = ["site", "site and its programs", "programs", "power"] as const;
export type Kill = (typeof KILLS)[number];

/** The processes that a process has started, and those that these have. */
function programsOf(pid: number): number[] {
  let own: number[] = [];
  try {
    own = fs
      .readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => fs.readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
      .map(Number)
      .filter((child) => child > 0);
  } catch {
    // It has ended meanwhile.
  }
  return own.flatMap((child) => [child, ...programsOf(child)]);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * Kills without a warning. After a cut of the power the site goes on with a copy of its folder, taken
 * while every process stood still.
 *
 * @returns whether the site has to be started again.
 */
export async function kill(site: SiteProcess, random: Random): Promise<Kill> {
  const child = site.child!;
  const kind = random.pick(KILLS);
  const programs = programsOf(child.pid!);
  if (kind === "programs") {
    signal(programs, "SIGKILL");
    return kind;
  }
  const all = [child.pid!, ...programs];
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
