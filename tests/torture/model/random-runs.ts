import fc from "fast-check";
import type { Faults } from "../options";
import { createRandom } from "../random";
import { Step, type StepKind } from "./step";

/** So long what has failed is tried again with fewer steps. */
const SHRINKS_FOR_MS = 3 * 60_000;
/** So many times as often as its weight says comes what was rare so far, or as seldom what was not. */
const MAX_FACTOR = 20;

export type AnyKinds<Model, Site> = Record<string, StepKind<unknown, Model, Site>>;

/** A site, the model that it is compared with, and what is done to both. */
export interface World<Model, Site> {
  site: Site;
  kinds: AnyKinds<Model, Site>;
  /**
   * Kinds of steps that all runs have; of the others each has some. Runs differ more that way: where everything
   * is done, most videos soon have a cause of each kind to be held.
   */
  always?: readonly string[];
  /** For a kind, the one without which there is nothing to do it to: a run that has the one has both. */
  needs?: Readonly<Record<string, string>>;
  /** Kinds that were done less often than the others so far come more often. */
  isEven?: boolean;
  /** Called before each run, with the number of steps so far. */
  prepare?(steps: number): Promise<void>;
  /** Empties the site. @returns the model of that. */
  begin(): Model | Promise<Model>;
  /** Called when all steps of a run are done. @throws a sentence when the two differ. */
  end?(model: Model): Promise<void>;
}

interface Extent {
  seed: string;
  most: number;
  until: number;
  /** Steps of one run. */
  stepsAtOnce: number;
}

/** Does the same steps to both sides in many runs, and compares them. */
export async function compareRuns<Model extends object, Site>(
  world: World<Model, Site>,
  { seed, most, until, stepsAtOnce }: Extent,
): Promise<Faults> {
  const random = createRandom(seed);
  const done = new Map<string, number>();
  let steps = 0;
  const count = (name: string) => {
    steps += 1;
    done.set(name, 1 + (done.get(name) ?? 0));
  };
  while (steps < most && Date.now() < until) {
    const asked = Math.min(stepsAtOnce, most - steps);
    await world.prepare?.(steps);
    const { always, needs = {}, isEven } = world;
    const some = Object.keys(world.kinds).filter(
      (name) => !always || always.includes(name) || random.below(2) === 0,
    );
    const needed = new Set(some.flatMap((name) => needs[name] ?? []));
    const chosen = Object.entries(world.kinds).filter(
      ([name]) => some.includes(name) || needed.has(name),
    );
    const kinds = isEven ? moreOfTheRare(chosen, done) : chosen;
    const fault = await oneRun(world, kinds, random.below(2 ** 31), asked, count);
    if (fault) return [fault];
  }
  const each = [...done].sort(([a], [b]) => a.localeCompare(b));
  console.log(`${steps} steps: ${each.map(([name, times]) => `${times} ${name}`).join(", ")}`);
  return [];
}

/** The kinds with weights that even out how often each was done. */
function moreOfTheRare<Model, Site>(
  kinds: [string, StepKind<unknown, Model, Site>][],
  done: ReadonlyMap<string, number>,
): [string, StepKind<unknown, Model, Site>][] {
  const times = (name: string) => 10 + (done.get(name) ?? 0);
  const average = kinds.reduce((sum, [name]) => sum + times(name), 0) / kinds.length;
  return kinds.map(([name, kind]) => {
    const factor = Math.min(MAX_FACTOR, Math.max(1 / MAX_FACTOR, average / times(name)));
    return [name, { ...kind, weight: kind.weight * factor }];
  });
}

async function oneRun<Model extends object, Site>(
  { site, begin, end }: World<Model, Site>,
  kinds: [string, StepKind<unknown, Model, Site>][],
  seed: number,
  steps: number,
  done: (name: string) => void,
): Promise<string | undefined> {
  const step = fc.oneof(
    ...kinds.map(([name, kind]) => ({
      weight: Math.round(kind.weight * 10),
      arbitrary: kind.args.map((args) => new Step(name, kind, args, () => done(name))),
    })),
  );
  const commands = fc.commands([step], { maxCommands: steps, size: "max" });
  let shrinksUntil: number | undefined;
  const property = fc.asyncProperty(commands, async (list) => {
    if (shrinksUntil !== undefined && Date.now() > shrinksUntil) return;
    const model = await begin();
    try {
      await fc.asyncModelRun(() => ({ model, real: site }), list);
      await end?.(model);
    } catch (error) {
      if (shrinksUntil === undefined)
        console.log(`${String(error)}\nTrying it with fewer steps ...`);
      shrinksUntil ??= Date.now() + SHRINKS_FOR_MS;
      throw error;
    }
  });
  const result = await fc.check(property, { seed, numRuns: 1 });
  if (!result.failed) return undefined;
  return `${String(result.errorInstance)}\n${String(result.counterexample?.[0])}`;
}
