import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../scripts/command.mjs", import.meta.url));

/** Returns the arguments that make Node run one of the site's commands, as `npm run NAME -- ...args` does. */
export const command = (name: string, ...args: readonly string[]): string[] => [
  COMMAND,
  name,
  ...args,
];
