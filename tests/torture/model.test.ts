import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EXTERNAL_WRITES } from "./model/external-writes";
import { compare } from "./model/model";
import { READS } from "./model/reads";
import type { StepKind } from "./model/step";
import { HOLDS } from "./model/visibility/holds";
import { VIDEO_ACTIONS } from "./model/visibility/video-actions";
import { compareVisibility, type VisibilityKinds } from "./model/visibility/visibility";

const STEPS = 300;
/** The site is started with three different sets of settings, each for a third of the steps. */
const VISIBILITY_STEPS = 99;

it("shows the same results as a model based on plain arrays after any sequence of changes", async () => {
  expect(await compare("npm test", STEPS)).toEqual([]);
}, 180_000);

it("shows visitors exactly the videos that are published and not on hold", async () => {
  expect(await compareVisibility("npm test", VISIBILITY_STEPS)).toEqual([]);
}, 180_000);

describe("compare", () => {
  const kinds = (bug: StepKind<unknown>) =>
    ({ insert: EXTERNAL_WRITES.insert, home: READS.home, bug }) as Record<
      string,
      StepKind<unknown>
    >;
  const bugStep = (run: StepKind<unknown>["run"]) => ({ weight: 2, args: fc.constant(null), run });

  it("reports a difference with the shortest sequence of steps that reproduces it", async () => {
    const hidden = bugStep(async (_, model) => {
      for (const video of model.videos) video.status = "hidden";
    });
    const [fault] = await compare("a lie", 200, undefined, 40, kinds(hidden));
    expect(fault).toMatch(/^Error: .+: the site has .+, expected /);
    expect(fault).toMatch(/\ninsert .+bug null,home /);
  }, 180_000);

  it("finds an unexpected row", async () => {
    const stray = bugStep(async (_, __, site) =>
      site.write("INSERT INTO videos (title, category) VALUES ('', 'desi');"),
    );
    const [fault] = await compare("a stray row", 200, undefined, 40, kinds(stray));
    expect(fault).toMatch(/the site has \[200,\["[0-9a-f]{32}"\]\], expected \[200,\[\]\]/);
  }, 180_000);

  it("finds a video that is public despite a hold", async () => {
    const { insert } = VIDEO_ACTIONS;
    const { holdUncompared } = HOLDS;
    const bug: VisibilityKinds[string] = {
      ...{ weight: 2, args: fc.constant(null) },
      run: async (_, __, site) => site.write("DELETE FROM video_holds"),
    };
    const kinds = { insert, holdUncompared, bug } as VisibilityKinds;
    const [fault] = await compareVisibility("a lie", 200, undefined, 40, kinds);
    expect(fault).toMatch(/^Error: holds: the site has \[\], expected \["v0 comparing\/"\]/);
    expect(fault).toMatch(/\ninsert .+holdUncompared .+bug null/);
  }, 180_000);
});
