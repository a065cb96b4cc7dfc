import { spawnSync } from "node:child_process";
import fs from "node:fs";

/** Runs ffmpeg for a benchmark, which fails with what ffmpeg says. */
export function ffmpeg(args: string[], cwd?: string): void {
  const result = spawnSync("ffmpeg", ["-v", "error", "-nostdin", "-y", ...args], { cwd });
  if (result.status !== 0) throw new Error(String(result.stderr));
}

/** Processor seconds of all children that have ended meanwhile. */
export async function childSeconds(work: () => void | Promise<void>): Promise<number> {
  const spent = () => {
    // cutime and cstime of proc(5): fields 16 and 17, after the name in parentheses.
    const stat = fs.readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / 100;
  };
  const before = spent();
  await work();
  return spent() - before;
}
