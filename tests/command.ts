import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../scripts/command.mjs", import.meta.url));

/** The arguments with which Node runs a command of the terminal, as `npm run NAME -- ...args` does. */
export const command = (name: string, ...args: readonly string[]): string[] => [
  COMMAND,
  name,
  ...args,
];
