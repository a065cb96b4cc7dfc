import fc from "fast-check";
import type { Faults } from "../options";
import { createRandom } from "../random";
import { Step, type StepKind } from "./step";

/** How long a failed run is repeated with fewer and fewer steps. */
const MAX_SHRINK_MS = 3 * 60_000;
/**
 * The maximum factor by which a kind's weight is increased or decreased, so that all kinds are performed about equally
 * often.
 */
const MAX_WEIGHT_FACTOR = 20;

export type AnyKinds<Model, Site> = Record<string, StepKind<unknown, Model, Site>>;

/** A site, the model that it is compared with, and the kinds of steps that are performed on both. */
export interface World<Model, Site> {
  site: Site;
  kinds: AnyKinds<Model, Site>;
  /**
   * The kinds of steps that are part of every run. Each run includes only some of the other kinds, so that runs differ
   * more. If each run included all kinds, most videos would soon have every kind of hold.
   */
  always?: readonly string[];
  /**
   * Kinds that have an effect only together with another kind. A run that includes such a kind always includes the
   * other kind as well.
   */
  needs?: Readonly<Record<string, string>>;
  /** Whether a kind gets a higher weight if it has been performed less often than others. */
  isBalanced?: boolean;
  /** Called before each run with the number of steps so far. */
  prepare?(steps: number): Promise<void>;
  /** Clears the site, and returns the matching model. */
  reset(): Model | Promise<Model>;
  /** Called after all steps of a run. Throws an error if the site and the model differ. */
  end?(model: Model): Promise<void>;
}

interface Limits {
  seed: string;
  maxSteps: number;
  until: number;
  /** The maximum number of steps in one run. */
  stepsPerRun: number;
}

/** Performs the same steps on the site and on the model in many runs, and compares them. */
export async function compareRuns<Model extends object, Site>(
  world: World<Model, Site>,
  { seed, maxSteps, until, stepsPerRun }: Limits,
): Promise<Faults> {
  const random = createRandom(seed);
  const done = new Map<string, number>();
  let steps = 0;
  const count = (name: string) => {
    steps += 1;
    done.set(name, 1 + (done.get(name) ?? 0));
  };
  while (steps < maxSteps && Date.now() < until) {
    const stepCount = Math.min(stepsPerRun, maxSteps - steps);
    await world.prepare?.(steps);
    const { always, needs = {}, isBalanced } = world;
    const some = Object.keys(world.kinds).filter(
      (name) => !always || always.includes(name) || random.below(2) === 0,
    );
    const needed = new Set(some.flatMap((name) => needs[name] ?? []));
    const chosen = Object.entries(world.kinds).filter(
      ([name]) => some.includes(name) || needed.has(name),
    );
    const kinds = isBalanced ? balanceWeights(chosen, done) : chosen;
    const fault = await runOnce(world, kinds, random.below(2 ** 31), stepCount, count);
    if (fault) return [fault];
  }
  const each = [...done].sort(([a], [b]) => a.localeCompare(b));
  console.log(`${steps} steps: ${each.map(([name, times]) => `${times} ${name}`).join(", ")}`);
  return [];
}

/** Adjusts the weights of the kinds to balance how often each is performed. */
function balanceWeights<Model, Site>(
  kinds: [string, StepKind<unknown, Model, Site>][],
  done: ReadonlyMap<string, number>,
): [string, StepKind<unknown, Model, Site>][] {
  const times = (name: string) => 10 + (done.get(name) ?? 0);
  const average = kinds.reduce((sum, [name]) => sum + times(name), 0) / kinds.length;
  return kinds.map(([name, kind]) => {
    const factor = Math.min(
      MAX_WEIGHT_FACTOR,
      Math.max(1 / MAX_WEIGHT_FACTOR, average / times(name)),
    );
    return [name, { ...kind, weight: kind.weight * factor }];
  });
}

async function runOnce<Model extends object, Site>(
  { site, reset, end }: World<Model, Site>,
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
    const model = await reset();
    try {
      await fc.asyncModelRun(() => ({ model, real: site }), list);
      await end?.(model);
    } catch (error) {
      if (shrinksUntil === undefined) console.log(`${String(error)}\nRepeating with fewer steps…`);
      shrinksUntil ??= Date.now() + MAX_SHRINK_MS;
      throw error;
    }
  });
  const result = await fc.check(property, { seed, numRuns: 1 });
  if (!result.failed) return undefined;
  return `${String(result.errorInstance)}\n${String(result.counterexample?.[0])}`;
}
