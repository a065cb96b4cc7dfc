import readline from "node:readline";
import { Writable } from "node:stream";

/** Something the caller has to correct: printed without a stack, exit code 2. */
export class UsageError extends Error {}

let piped: AsyncIterator<string> | undefined;

/**
 * A line of text from whoever runs the script: asked for at a terminal, else the next line of
 * standard input.
 *
 * @param secret not shown while it is typed.
 */
export async function ask(question: string, { secret = false } = {}): Promise<string> {
  if (!process.stdin.isTTY) {
    piped ??= readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const { value, done } = await piped.next();
    if (done) throw new UsageError(`Standard input ended before: ${question}`);
    return value;
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = readline.createInterface({
    input: process.stdin,
    output: secret ? silent : process.stdout,
    terminal: true,
  });
  // Only now, when nothing that is typed is shown by the terminal itself.
  process.stdout.write(`${question}: `);
  return new Promise((resolve, reject) => {
    terminal.once("line", (line) => {
      terminal.close();
      if (secret) process.stdout.write("\n");
      resolve(line);
    });
    terminal.once("SIGINT", () => {
      terminal.close();
      process.stdout.write("\n");
      reject(new UsageError("Cancelled; nothing was changed."));
    });
  });
}

/** A new password: typed twice at a terminal, one line of standard input otherwise. */
export async function askNewPassword(): Promise<string> {
  const password = await ask("New password", { secret: true });
  if (process.stdin.isTTY && (await ask("The same again", { secret: true })) !== password) {
    throw new UsageError("The two passwords differ; nothing was changed.");
  }
  return password;
}
