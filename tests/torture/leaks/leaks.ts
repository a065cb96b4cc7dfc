import type { Faults, TortureOptions } from "../options";
import { runHidden } from "./hidden-run";
import { runFrames } from "./marked-frames";
import { runVisitor } from "./visitor-run";

/** Runs of a usual run; each is a site of its own. */
const RUNS = 2;
/** Of each kind of request, in the first part. */
const TIMED_PAIRS = 10_000;

/** Searches what a site has written for a marked visitor, and all of its addresses for hidden videos. */
export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  const most = minutes === undefined ? RUNS : Number.POSITIVE_INFINITY;
  const faults: Faults = [];
  const totals = { visits: 0, bytes: 0, answers: 0, pictures: 0 };
  for (let part = 0; part < most && Date.now() < until; part++) {
    const visitor = await runVisitor(`${seed} ${part}`, part % 2 === 0 ? "text" : "json");
    totals.visits += visitor.figures.requests;
    totals.bytes += visitor.figures.bytes;
    const hidden = await runHidden(`${seed} ${part}`, { pairs: part === 0 ? TIMED_PAIRS : 0 });
    totals.answers += hidden.requests;
    for (const { what, pairs, medians, means } of hidden.times) {
      const figures = `median ${medians.toFixed(3)} ms, mean ${means.toFixed(3)} ms`;
      console.log(`${what}: a hidden video differs by ${figures} in ${pairs} pairs`);
    }
    const frames = await runFrames();
    totals.pictures += frames.pictures;
    const found = [...visitor.faults, ...hidden.faults, ...frames.faults].map(
      (fault) => `${fault} (part ${part})`,
    );
    for (const fault of found) console.log(`FAULT  ${fault}`);
    faults.push(...found);
    const { visits, bytes, answers, pictures } = totals;
    console.log(
      `${part + 1} parts: ${visits} visits, ${bytes} bytes searched, ${answers} answers about videos, ` +
        `${pictures} pictures and videos decoded, ${faults.length} faults`,
    );
  }
  return faults;
}
