// npm run torture: tries to break the site. Executes the named runs, or all runs if no names are given:
// npm run torture -- bytes --seed s
import { parseArgs } from "node:util";
import type { Faults, TortureOptions } from "./options";
import { newSeed } from "./random";

/** The runs. Each run stops automatically, cleans up, and can be repeated with the same seed. */
const RUNS: Record<string, () => Promise<{ run(options: TortureOptions): Promise<Faults> }>> = {
  bytes: () => import("./bytes/bytes"),
  crash: () => import("./crash/crash"),
  videos: () => import("./videos/videos"),
  http: () => import("./http/http"),
  load: () => import("./load/load"),
  leaks: () => import("./leaks/leaks"),
  model: () => import("./model/model"),
};

const USAGE = `npm run torture -- [name ...] [--minutes N] [--seed S]

  name         ${Object.keys(RUNS).join(", ")}; all if omitted
  --minutes N  run for N minutes instead of the usual number of inputs
  --seed S     repeat the run that printed this seed`;

const { values, positionals } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" }, help: { type: "boolean" } },
  allowPositionals: true,
});
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const unknown = positionals.filter((name) => !Object.hasOwn(RUNS, name));
if (values.help || unknown.length > 0 || (minutes !== undefined && !(minutes > 0))) {
  console.error(USAGE);
  process.exit(values.help ? 0 : 2);
}

const seed = values.seed ?? newSeed();
let faults = 0;
for (const name of positionals.length > 0 ? positionals : Object.keys(RUNS)) {
  console.log(`\n${name}, seed ${seed}`);
  const { run } = await RUNS[name]!();
  const found = await run({ seed, ...(minutes && { minutes }) });
  for (const fault of found) console.log(`FAULT  ${fault}`);
  faults += found.length;
}
console.log(`\n${faults} faults, seed ${seed}`);
process.exitCode = faults > 0 ? 1 : 0;
