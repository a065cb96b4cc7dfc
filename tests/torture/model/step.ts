import type fc from "fast-check";
import type { Reference } from "./reference";
import type { RunningSite } from "./running-site";

/** A kind of step that is performed on the site and on the model. The step throws an error if the results differ. */
export interface StepKind<Args, Model = Reference, Site = RunningSite> {
  /** How often this kind is performed relative to the others. */
  weight: number;
  args: fc.Arbitrary<Args>;
  /** Returns "skipped" if there was nothing to apply the step to. Skipped steps aren't counted. */
  run(args: Args, model: Model, site: Site): Promise<unknown>;
}

/** The type of values that an arbitrary generates. */
export type Value<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Generated> ? Generated : never;

/** A step in the form that fast-check runs, shrinks and prints. */
export class Step<Args, Model extends object, Site> implements fc.AsyncCommand<Model, Site> {
  constructor(
    private name: string,
    private kind: StepKind<Args, Model, Site>,
    private args: Args,
    private done: () => void,
  ) {}

  check(): boolean {
    return true;
  }

  async run(model: Model, site: Site): Promise<void> {
    if ((await this.kind.run(this.args, model, site)) !== "skipped") this.done();
  }

  toString(): string {
    return `${this.name} ${JSON.stringify(this.args)}`;
  }
}

/** Maps a number to an item in a list, or to undefined if the list is empty. */
export function nth<T>(list: readonly T[], number: number): T | undefined {
  return list[number % Math.max(1, list.length)];
}

export function expectSame(what: string, site: unknown, model: unknown): void {
  const [actual, expected] = [site, model].map((each) => JSON.stringify(each));
  if (actual !== expected) throw new Error(`${what}: the site has ${actual}, expected ${expected}`);
}
