import type { Faults, TortureOptions } from "../options";
import { EXTERNAL_WRITES } from "./external-writes";
import { type AnyKinds, compareRuns } from "./random-runs";
import { READS } from "./reads";
import { Reference } from "./reference";
import { RunningSite } from "./running-site";
import { SERIES } from "./series";
import { STUDIO } from "./studio";
import { compareVisibility } from "./visibility/visibility";

const STEPS = 100_000;
/** The number of steps after which the site is cleared. */
const STEPS_PER_RUN = 1_000;
const KINDS = { ...READS, ...EXTERNAL_WRITES, ...STUDIO, ...SERIES } as AnyKinds<
  Reference,
  RunningSite
>;

export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  if (minutes === undefined) {
    const faults = await compare(seed, STEPS);
    return [...faults, ...(await compareVisibility(seed, STEPS))];
  }
  const deadlines = [Date.now() + minutes * 30_000, Date.now() + minutes * 60_000] as const;
  const faults = await compare(seed, Number.POSITIVE_INFINITY, deadlines[0]);
  return [...faults, ...(await compareVisibility(seed, Number.POSITIVE_INFINITY, deadlines[1]))];
}

/** Performs the same steps on a site's catalogue and on plain arrays, and compares what each page shows. */
export async function compare(
  seed: string,
  maxSteps: number,
  until = Number.POSITIVE_INFINITY,
  stepsPerRun = STEPS_PER_RUN,
  kinds: AnyKinds<Reference, RunningSite> = KINDS,
): Promise<Faults> {
  const site = new RunningSite();
  await site.start();
  const reset = () => {
    site.clear();
    return new Reference();
  };
  try {
    return await compareRuns({ site, reset, kinds }, { seed, maxSteps, until, stepsPerRun });
  } finally {
    await site.remove();
  }
}
