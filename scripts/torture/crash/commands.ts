import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { command } from "../../../tests/command";
import type { SiteProcess } from "../../../tests/site-process";
import type { Random } from "../random";

/** Commands that an operator may run beside the site. */
const COMMANDS = [["check-library"], ["check-library", "--fix"]] as const;
const WITH_STORE = [
  ["move-storage", "--to", "disk"],
  ["move-storage", "--to", "store"],
] as const;

/** Probability that a command runs beside the site. */
const COMMAND_PROBABILITY = 0.4;

export interface RunningCommand {
  name: string;
  child: ChildProcess;
  /** What it has printed. */
  output(): string;
}

/** Starts a random command beside the site, or none. */
export function startCommand(
  site: SiteProcess,
  settings: Record<string, string>,
  random: Random,
): RunningCommand | undefined {
  if (!random.chance(COMMAND_PROBABILITY)) return undefined;
  const [name, ...args] = random.pick<readonly string[]>(
    settings.STORAGE_URL ? [...COMMANDS, ...WITH_STORE, ...WITH_STORE] : COMMANDS,
  );
  let output = "";
  const child = spawn(process.execPath, command(name!, ...args), {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      DATABASE_PATH: site.databasePath,
      UPLOADS_DIR: site.uploads,
      ...settings,
    },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  return { name: [name, ...args].join(" "), child, output: () => output };
}

/** @returns whether it was still running. */
export async function killCommand({ child }: RunningCommand): Promise<boolean> {
  if (child.exitCode !== null) return false;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  return true;
}
