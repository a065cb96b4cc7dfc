import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { execa, type Options, type ResultPromise } from "execa";
import { childEnvironment } from "./settings.server";

/**
 * The only module that starts processes. It runs an executable with arguments and never a shell command, and passes on
 * only the environment variables that settings/child-environment.ts allows.
 */

/** Runs a command with execa. `options` can contain all of execa's options except the environment. */
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

/** Runs a command that takes only a few milliseconds, and blocks until it exits. Returns its exit code and output. */
export function runCommandSync(command: string, args: readonly string[], timeoutMs?: number) {
  return spawnSync(command, args, {
    encoding: "utf8",
    timeout: timeoutMs,
    env: childEnvironment(),
  });
}

/** How long to wait for the rest of the output after a command has exited. */
const OUTPUT_WAIT_MS = 1_000;

/**
 * Starts a command from the operator in a separate process group, so that it can be killed together with all its child
 * processes. The caller has to read its standard output. Its standard error is discarded.
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
        // A child process that outlives the command may keep the output open.
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
      // Ignore the error: the process has just exited.
    }
  }
  return { stdout: child.stdout, ended, end };
}

/**
 * Starts a Node process that exchanges messages with this one.
 *
 * @param variables additional environment variables.
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
