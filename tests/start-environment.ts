import fs from "node:fs";

/** The bounds of memory that `npm start` gives to Node, as variables that a process can be started with. */
export function startEnvironment(): { MALLOC_ARENA_MAX: string; NODE_OPTIONS: string } {
  const { scripts } = JSON.parse(fs.readFileSync("package.json", "utf8"));
  const [, arenas, flags] = /^MALLOC_ARENA_MAX=(\d+) node (.*) scripts\/start\.mjs$/.exec(
    scripts.start,
  ) as unknown as [string, string, string];
  return { MALLOC_ARENA_MAX: arenas, NODE_OPTIONS: flags };
}
