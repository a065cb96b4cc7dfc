import { format, stripVTControlCharacters } from "node:util";

/** How urgent a line is, by the function of the console that writes it. */
const LEVELS = {
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warning",
  error: "error",
} as const;

type Level = (typeof LEVELS)[keyof typeof LEVELS];

/**
 * An event of the log as one line of JSON, whatever it says: `time` (ISO 8601 UTC), `level`, and what it is
 * about. It has what the line of text has, and no more.
 */
export function jsonLine(level: Level, event: Record<string, unknown>, now = new Date()): string {
  return JSON.stringify({ time: now.toISOString(), level, ...event });
}

/** From now on whatever this thread writes to the console is a line of JSON for each call, stacks included. */
export function writeConsoleAsJson(write: (line: string) => void = writeOut): void {
  for (const [name, level] of Object.entries(LEVELS)) {
    console[name as keyof typeof LEVELS] = (...parts: unknown[]) => {
      write(jsonLine(level, { message: stripVTControlCharacters(format(...parts)) }));
    };
  }
}

function writeOut(line: string): void {
  process.stdout.write(`${line}\n`);
}
