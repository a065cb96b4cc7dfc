import readline from "node:readline";
import { Writable } from "node:stream";

/** Thrown if a command is misused. The message is printed without a stack trace, and the exit code is 2. */
export class UsageError extends Error {}

let piped: AsyncIterator<string> | undefined;

/**
 * Returns a line of input. In a terminal, the user enters it after a prompt; otherwise, it is the next line of standard
 * input.
 *
 * @param secret whether to hide what is typed.
 */
export async function prompt(label: string, { secret = false } = {}): Promise<string> {
  if (!process.stdin.isTTY) {
    piped ??= readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const { value, done } = await piped.next();
    if (done) throw new UsageError(`Standard input ended before this prompt: ${label}`);
    return value;
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = readline.createInterface({
    input: process.stdin,
    output: secret ? silent : process.stdout,
    terminal: true,
  });
  // Print the prompt only now, because from here on, the terminal doesn't echo what is typed.
  process.stdout.write(`${label}: `);
  return new Promise((resolve, reject) => {
    terminal.once("line", (line) => {
      terminal.close();
      if (secret) process.stdout.write("\n");
      resolve(line);
    });
    terminal.once("SIGINT", () => {
      terminal.close();
      process.stdout.write("\n");
      reject(new UsageError("Canceled. Nothing was changed."));
    });
  });
}

/** Returns a new password, which is entered twice in a terminal, or is one line of standard input. */
export async function promptForPassword(): Promise<string> {
  const password = await prompt("New password", { secret: true });
  if (process.stdin.isTTY && (await prompt("Repeat password", { secret: true })) !== password) {
    throw new UsageError("The passwords don't match. Nothing was changed.");
  }
  return password;
}
