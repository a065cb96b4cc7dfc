import type { Faults, TortureOptions } from "../options";
import { runHidden } from "./hidden-run";
import { runFrames } from "./marked-frames";
import { runVisitor } from "./visitor-run";

/** The number of parts in a run without a time limit. A new site is created for each part. */
const PARTS = 2;
/** The number of pairs that are timed in the first part, for each kind of request. */
const TIMED_PAIRS = 10_000;

/** Searches everything that a site writes for traces of a visitor, and all of its URLs for traces of hidden videos. */
export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  const maxParts = minutes === undefined ? PARTS : Number.POSITIVE_INFINITY;
  const faults: Faults = [];
  const totals = { visits: 0, bytes: 0, responses: 0, media: 0 };
  for (let part = 0; part < maxParts && Date.now() < until; part++) {
    const visitor = await runVisitor(`${seed} ${part}`, part % 2 === 0 ? "text" : "json");
    totals.visits += visitor.figures.requests;
    totals.bytes += visitor.figures.bytes;
    const hidden = await runHidden(`${seed} ${part}`, { pairs: part === 0 ? TIMED_PAIRS : 0 });
    totals.responses += hidden.requests;
    for (const { name, pairs, medians, means } of hidden.times) {
      const figures = `median ${medians.toFixed(3)} ms, mean ${means.toFixed(3)} ms`;
      console.log(`${name}: a hidden video differs by ${figures} in ${pairs} pairs`);
    }
    const frames = await runFrames();
    totals.media += frames.media;
    const found = [...visitor.faults, ...hidden.faults, ...frames.faults].map(
      (fault) => `${fault} (part ${part})`,
    );
    for (const fault of found) console.log(`FAULT  ${fault}`);
    faults.push(...found);
    const { visits, bytes, responses, media } = totals;
    console.log(
      `${part + 1} parts: ${visits} visits, ${bytes} bytes searched, ${responses} responses about videos, ` +
        `${media} images and videos decoded, ${faults.length} faults`,
    );
  }
  return faults;
}
