import type fc from "fast-check";
import type { Reference } from "./reference";
import type { RunningSite } from "./running-site";

/** Something that is done on both sides and compared. @throws a sentence when they differ. */
export interface StepKind<Args, Model = Reference, Site = RunningSite> {
  /** How often beside the others. */
  weight: number;
  args: fc.Arbitrary<Args>;
  /** @returns "skipped" where there was nothing to do it to, which isn't counted. */
  run(args: Args, model: Model, site: Site): Promise<unknown>;
}

/** What an arbitrary makes. */
export type Value<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Made> ? Made : never;

/** One step as fast-check runs, shrinks and prints it. */
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

/** Of a list that may be empty, the one that a number stands for. */
export function nth<T>(list: readonly T[], number: number): T | undefined {
  return list[number % Math.max(1, list.length)];
}

export function expectSame(what: string, site: unknown, model: unknown): void {
  const [has, should] = [site, model].map((each) => JSON.stringify(each));
  if (has !== should) throw new Error(`${what}: the site has ${has}, and should have ${should}`);
}
