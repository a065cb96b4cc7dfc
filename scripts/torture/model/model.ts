import fc from "fast-check";
import type { Faults, TortureOptions } from "../options";
import { createRandom } from "../random";
import { PROGRAMS } from "./programs";
import { READS } from "./reads";
import { Reference } from "./reference";
import { RunningSite } from "./running-site";
import { SERIES } from "./series";
import { Step, type StepKind } from "./step";
import { STUDIO } from "./studio";

const STEPS_OF_A_RUN = 100_000;
/** At most so many, then the site begins anew without videos. */
const STEPS_AT_ONCE = 1_000;
/** So long what has failed is tried again with fewer steps. */
const SHRINKS_FOR_MS = 3 * 60_000;
const KINDS = { ...READS, ...PROGRAMS, ...STUDIO, ...SERIES } as Record<string, StepKind<unknown>>;

export function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? undefined : Date.now() + minutes * 60_000;
  return compare(seed, until === undefined ? STEPS_OF_A_RUN : Number.POSITIVE_INFINITY, until);
}

/** Does the same on a site and on plain arrays, and compares what each page shows. */
export async function compare(
  seed: string,
  most: number,
  until = Number.POSITIVE_INFINITY,
  stepsAtOnce = STEPS_AT_ONCE,
  kinds: Record<string, StepKind<unknown>> = KINDS,
): Promise<Faults> {
  const random = createRandom(seed);
  const done = new Map<string, number>();
  let steps = 0;
  const site = new RunningSite();
  await site.start();
  try {
    while (steps < most && Date.now() < until) {
      const asked = Math.min(stepsAtOnce, most - steps);
      const count = (name: string) => {
        steps += 1;
        done.set(name, 1 + (done.get(name) ?? 0));
      };
      const fault = await oneRun(site, random.below(2 ** 31), asked, kinds, count);
      if (fault) return [fault];
    }
  } finally {
    await site.remove();
  }
  const each = [...done].sort(([a], [b]) => a.localeCompare(b));
  console.log(`${steps} steps: ${each.map(([name, times]) => `${times} ${name}`).join(", ")}`);
  return [];
}

async function oneRun(
  site: RunningSite,
  seed: number,
  steps: number,
  kinds: Record<string, StepKind<unknown>>,
  done: (name: string) => void,
): Promise<string | undefined> {
  const step = fc.oneof(
    ...Object.entries(kinds).map(([name, kind]) => ({
      weight: Math.round(kind.weight * 10),
      arbitrary: kind.args.map((args) => new Step(name, kind, args, () => done(name))),
    })),
  );
  const commands = fc.commands([step], { maxCommands: steps, size: "max" });
  let isShrinking = false;
  const property = fc.asyncProperty(commands, async (list) => {
    site.empty();
    try {
      await fc.asyncModelRun(() => ({ model: new Reference(), real: site }), list);
    } catch (error) {
      if (!isShrinking) console.log(`${String(error)}\nTrying it with fewer steps ...`);
      isShrinking = true;
      throw error;
    }
  });
  const result = await fc.check(property, {
    seed,
    numRuns: 1,
    interruptAfterTimeLimit: SHRINKS_FOR_MS,
  });
  if (!result.failed) return undefined;
  return `${String(result.errorInstance)}\n${String(result.counterexample?.[0])}`;
}
