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
