import type { Faults } from "../../options";
import { type AnyKinds, compareRuns } from "../random-runs";
import type { StepKind } from "../step";
import { FILES } from "./files";
import { HOLDS } from "./holds";
import { INTENTIONS } from "./intentions";
import { check, checkAll } from "./invariants";
import { type SiteSettings, VisibilityModel } from "./reference";
import { closeAll, REPORTS } from "./reports";
import { VisibilitySite } from "./site";

/** At most so many steps, then the site begins anew without videos. */
const STEPS_AT_ONCE = 200;
/** Starting the site again takes as long as a hundred steps. */
const STEPS_OF_SETTINGS = 2_000;
/** Those that the site is run with in turn. */
const SETTINGS: readonly SiteSettings[] = [
  { requireConsent: false, hidesAtOnce: true },
  { requireConsent: true, hidesAtOnce: true },
  { requireConsent: false, hidesAtOnce: false },
];

/** What each run has, so that there is something to see. */
const ALWAYS = ["enter", "toggle", "report", "decideReport"];
const NEEDS = {
  ...{ letIn: "block", forgetPerformer: "savePerformer", undoHiding: "hideLacking" },
  ...{ undo: "delete", restore: "delete", purge: "delete" },
};

export type VisibilityKinds = AnyKinds<VisibilityModel, VisibilitySite>;
const KINDS = { ...INTENTIONS, ...HOLDS, ...FILES, ...REPORTS } as VisibilityKinds;

/** Does the same to what people intend and to holds, on a site and in a model, and looks at all that visitors see. */
export async function compareVisibility(
  seed: string,
  most: number,
  until = Number.POSITIVE_INFINITY,
  stepsAtOnce = STEPS_AT_ONCE,
  kinds: VisibilityKinds = KINDS,
): Promise<Faults> {
  const site = new VisibilitySite();
  let settings = SETTINGS[0]!;
  const stepsOfSettings = Math.min(STEPS_OF_SETTINGS, Math.ceil(most / SETTINGS.length));
  const prepare = async (steps: number) => {
    settings = SETTINGS[Math.floor(steps / stepsOfSettings) % SETTINGS.length]!;
    await site.use(settings);
  };
  const begin = async () => {
    await site.letIn();
    site.empty();
    return new VisibilityModel(settings);
  };
  const end = async (model: VisibilityModel) => {
    await closeAll(model, site);
    await checkAll(model, site);
  };
  const checked = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, withCheck(kind)]),
  );
  try {
    const always = kinds === KINDS ? ALWAYS : Object.keys(kinds);
    const world = { site, kinds: checked, always, needs: NEEDS, isEven: true, prepare, begin, end };
    return await compareRuns(world, { seed, most, until, stepsAtOnce });
  } finally {
    await site.remove();
  }
}

/** A step, and a look at what it may have changed. */
function withCheck(
  kind: StepKind<unknown, VisibilityModel, VisibilitySite>,
): StepKind<unknown, VisibilityModel, VisibilitySite> {
  return {
    ...kind,
    async run(args, model, site) {
      if ((await kind.run(args, model, site)) === "skipped") return "skipped";
      await check(model, site);
    },
  };
}
