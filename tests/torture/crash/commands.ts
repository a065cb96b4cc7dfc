import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { command } from "../../command";
import type { Session } from "./session";

/** Commands that an operator may run whether the site is running or stopped. */
export const CHECKS = [["check-library"], ["check-library", "--fix"]] as const;
/** Commands that require a site with a store. */
export const MOVES = [
  ["move-storage", "--to", "disk"],
  ["move-storage", "--to", "store"],
] as const;

/** The probability that a command runs while the site is running. */
const COMMAND_PROBABILITY = 0.4;

export interface RunningCommand {
  name: string;
  child: ChildProcess;
  /** Resolves when the process exits. */
  ended: Promise<unknown>;
  /** Returns the command's output so far. */
  output(): string;
}

/** Sometimes starts a random command while the site is running. */
export function startCommand(session: Session): RunningCommand | undefined {
  const { random, settings } = session;
  if (!random.chance(COMMAND_PROBABILITY)) return undefined;
  const args = random.pick<readonly string[]>(
    settings.STORAGE_URL ? [...CHECKS, ...MOVES, ...MOVES] : CHECKS,
  );
  return runCommand(session, args);
}

/** Starts one of the site's commands, such as `backup`, with its arguments. */
export function runCommand(
  { site, settings }: Session,
  [script = "", ...args]: readonly string[],
): RunningCommand {
  const name = [script, ...args].filter((each) => !path.isAbsolute(each)).join(" ");
  let output = "";
  const child = spawn(process.execPath, command(script, ...args), {
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
  return { name, child, ended: once(child, "exit"), output: () => output };
}

/** Kills a command, and returns whether it was still running. */
export async function killCommand({ child, ended }: RunningCommand): Promise<boolean> {
  if (child.exitCode !== null) return false;
  child.kill("SIGKILL");
  await ended;
  return child.signalCode !== null;
}
