import fs from "node:fs";

/** The bounds of memory that `npm start` gives to malloc and Node, as variables that a process can be started with. */
export function startEnvironment(): Record<string, string> & { NODE_OPTIONS: string } {
  const { scripts } = JSON.parse(fs.readFileSync("package.json", "utf8"));
  const [, malloc, flags] = /^((?:MALLOC_\w+=\d+ )+)node (.*) scripts\/start\.mjs$/.exec(
    scripts.start,
  ) as unknown as [string, string, string];
  const variables = malloc.trim().split(" ");
  return {
    ...Object.fromEntries(variables.map((variable) => variable.split("=") as [string, string])),
    NODE_OPTIONS: flags,
  };
}
