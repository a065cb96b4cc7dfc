import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { execa, type Options, type ResultPromise } from "execa";
import { childEnvironment } from "./settings.server";

/**
 * The only module that starts processes: an executable and its arguments, never a shell, with the
 * allow-listed environment of settings/child-environment.ts.
 */

/** Runs a command as execa does; options of `execa` other than the environment. */
export function runCommand<Given extends Omit<Options, "env" | "extendEnv">>(
  command: string,
  args: readonly string[],
  options: Given,
): ResultPromise<Given> {
  return execa(command, args, {
    ...options,
    extendEnv: false,
    env: childEnvironment(),
  }) as unknown as ResultPromise<Given>;
}

/** Runs a command that ends within milliseconds, and waits for it; its exit code and output. */
export function runCommandSync(command: string, args: readonly string[], timeoutMs?: number) {
  return spawnSync(command, args, {
    encoding: "utf8",
    timeout: timeoutMs,
    env: childEnvironment(),
  });
}

/** For the output of a command that has ended. */
const OUTPUT_WAIT_MS = 1_000;

/**
 * Starts a command of the operator in a process group of its own, so that it can be ended with all that it has started.
 * Its standard output has to be read; what it writes elsewhere is thrown away.
 */
export function startScan(command: string, args: readonly string[]) {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: childEnvironment(),
    detached: true,
  });
  const ended = new Promise<{ error?: string; code: number | null; signal: string | null }>(
    (resolve) => {
      child.on("error", (error) => resolve({ error: error.message, code: null, signal: null }));
      child.on("exit", (code, signal) => {
        // What it has left behind may hold its output open.
        const timer = setTimeout(end, OUTPUT_WAIT_MS);
        child.on("close", () => {
          clearTimeout(timer);
          resolve({ code, signal });
        });
      });
    },
  );
  function end(): void {
    try {
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }
  return { stdout: child.stdout, ended, end };
}

/**
 * Starts a Node process that exchanges messages with this one.
 *
 * @param variables added to the environment.
 */
export function startMessagingProcess(
  command: string,
  args: readonly string[],
  variables: Record<string, string>,
): ChildProcess {
  return spawn(command, args, {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { ...childEnvironment(), ...variables },
  });
}
