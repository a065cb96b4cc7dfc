import type { Faults } from "../../options";
import { type AnyKinds, compareRuns } from "../random-runs";
import type { StepKind } from "../step";
import { FILES } from "./files";
import { HOLDS } from "./holds";
import { check, checkAll } from "./invariants";
import { type SiteSettings, VisibilityModel } from "./reference";
import { closeAll, REPORTS } from "./reports";
import { VisibilitySite } from "./site";
import { VIDEO_ACTIONS } from "./video-actions";

/** The number of steps after which the site is cleared. */
const STEPS_PER_RUN = 200;
/** The number of steps between two restarts with different settings. A restart takes as long as a hundred steps. */
const STEPS_PER_SETTINGS = 2_000;
/** The settings that the site is started with, one after another. */
const SETTINGS: readonly SiteSettings[] = [
  { requireConsent: false, hidesImmediately: true },
  { requireConsent: true, hidesImmediately: true },
  { requireConsent: false, hidesImmediately: false },
];

/** The kinds of steps that are part of every run, so that there are videos and reports. */
const ALWAYS = ["insert", "toggle", "report", "decideReport"];
const NEEDS = {
  ...{ reactivate: "block", deletePerformer: "savePerformer", undoHide: "hideWithoutRecord" },
  ...{ undo: "delete", restore: "delete", purge: "delete" },
};

export type VisibilityKinds = AnyKinds<VisibilityModel, VisibilitySite>;
const KINDS = { ...VIDEO_ACTIONS, ...HOLDS, ...FILES, ...REPORTS } as VisibilityKinds;

/** Performs the same steps on a site and on a model of visibility, and compares everything that visitors see. */
export async function compareVisibility(
  seed: string,
  maxSteps: number,
  until = Number.POSITIVE_INFINITY,
  stepsPerRun = STEPS_PER_RUN,
  kinds: VisibilityKinds = KINDS,
): Promise<Faults> {
  const site = new VisibilitySite();
  let settings = SETTINGS[0]!;
  const stepsPerSettings = Math.min(STEPS_PER_SETTINGS, Math.ceil(maxSteps / SETTINGS.length));
  const prepare = async (steps: number) => {
    settings = SETTINGS[Math.floor(steps / stepsPerSettings) % SETTINGS.length]!;
    await site.use(settings);
  };
  const reset = async () => {
    await site.reactivateAll();
    site.clear();
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
    const world = {
      site,
      kinds: checked,
      always,
      needs: NEEDS,
      isBalanced: true,
      prepare,
      reset,
      end,
    };
    return await compareRuns(world, { seed, maxSteps, until, stepsPerRun });
  } finally {
    await site.remove();
  }
}

/** Returns a kind of step that also compares everything that the step may have changed. */
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
