import type { Faults, TortureOptions } from "../options";
import { runVisitor } from "./visitor-run";

/** Runs of a usual run; each is a site of its own. */
const RUNS = 2;

/** Searches what a site has written for a marked visitor. */
export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  const most = minutes === undefined ? RUNS : Number.POSITIVE_INFINITY;
  const faults: Faults = [];
  const totals = { requests: 0, bytes: 0 };
  for (let part = 0; part < most && Date.now() < until; part++) {
    const visitor = await runVisitor(`${seed} ${part}`, part % 2 === 0 ? "text" : "json");
    totals.requests += visitor.figures.requests;
    totals.bytes += visitor.figures.bytes;
    faults.push(...visitor.faults.map((fault) => `${fault} (part ${part})`));
    console.log(
      `part ${part}: ${totals.requests} requests of a visitor, ${totals.bytes} bytes searched`,
    );
  }
  return faults;
}
