import type { Faults, TortureOptions } from "../options";
import { PROGRAMS } from "./programs";
import { type AnyKinds, compareRuns } from "./random-runs";
import { READS } from "./reads";
import { Reference } from "./reference";
import { RunningSite } from "./running-site";
import { SERIES } from "./series";
import { STUDIO } from "./studio";
import { compareVisibility } from "./visibility/visibility";

const STEPS_OF_A_RUN = 100_000;
/** At most so many, then the site begins anew without videos. */
const STEPS_AT_ONCE = 1_000;
const KINDS = { ...READS, ...PROGRAMS, ...STUDIO, ...SERIES } as AnyKinds<Reference, RunningSite>;

export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  if (minutes === undefined) {
    const faults = await compare(seed, STEPS_OF_A_RUN);
    return [...faults, ...(await compareVisibility(seed, STEPS_OF_A_RUN))];
  }
  const halves = [Date.now() + minutes * 30_000, Date.now() + minutes * 60_000] as const;
  const faults = await compare(seed, Number.POSITIVE_INFINITY, halves[0]);
  return [...faults, ...(await compareVisibility(seed, Number.POSITIVE_INFINITY, halves[1]))];
}

/** Does the same to the catalogue of a site and to plain arrays, and compares what each page shows. */
export async function compare(
  seed: string,
  most: number,
  until = Number.POSITIVE_INFINITY,
  stepsAtOnce = STEPS_AT_ONCE,
  kinds: AnyKinds<Reference, RunningSite> = KINDS,
): Promise<Faults> {
  const site = new RunningSite();
  await site.start();
  const begin = () => {
    site.empty();
    return new Reference();
  };
  try {
    return await compareRuns({ site, begin, kinds }, { seed, most, until, stepsAtOnce });
  } finally {
    await site.remove();
  }
}
