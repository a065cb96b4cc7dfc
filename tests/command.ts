import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../scripts/command.mjs", import.meta.url));

/** Returns the arguments that make Node run one of the site's commands, like `npm run NAME -- ...args`. */
export const command = (name: string, ...args: readonly string[]): string[] => [
  COMMAND,
  name,
  ...args,
];
