import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare } from "./model/model";
import { PROGRAMS } from "./model/programs";
import { READS } from "./model/reads";
import type { StepKind } from "./model/step";
import { HOLDS } from "./model/visibility/holds";
import { INTENTIONS } from "./model/visibility/intentions";
import { compareVisibility, type VisibilityKinds } from "./model/visibility/visibility";

const STEPS = 300;
/** A third of them with each of the settings that the site is started with. */
const VISIBILITY_STEPS = 99;

it("does the same as plain arrays, whoever changes what", async () => {
  expect(await compare("npm test", STEPS)).toEqual([]);
}, 180_000);

it("shows visitors what is published and not on hold, whoever intends and holds what", async () => {
  expect(await compareVisibility("npm test", VISIBILITY_STEPS)).toEqual([]);
}, 180_000);

describe("a difference", () => {
  const kinds = (lie: StepKind<unknown>) =>
    ({ enter: PROGRAMS.enter, home: READS.home, lie }) as Record<string, StepKind<unknown>>;
  const lying = (run: StepKind<unknown>["run"]) => ({ weight: 2, args: fc.constant(null), run });

  it("is found, and told with the few steps that lead to it", async () => {
    const hidden = lying(async (_, model) => {
      for (const video of model.videos) video.status = "hidden";
    });
    const [fault] = await compare("a lie", 200, undefined, 40, kinds(hidden));
    expect(fault).toMatch(/^Error: .+: the site has .+, and should have /);
    expect(fault).toMatch(/\nenter .+lie null,home /);
  }, 180_000);

  it("is found where a row is there that nobody entered", async () => {
    const stray = lying(async (_, __, site) =>
      site.write("INSERT INTO videos (title, category) VALUES ('', 'desi');"),
    );
    const [fault] = await compare("a stray row", 200, undefined, 40, kinds(stray));
    expect(fault).toMatch(/the site has \[200,\["[0-9a-f]{32}"\]\], and should have \[200,\[\]\]/);
  }, 180_000);

  it("is found where a video is released that something holds", async () => {
    const { enter } = INTENTIONS;
    const { holdUncompared } = HOLDS;
    const lie: VisibilityKinds[string] = {
      ...{ weight: 2, args: fc.constant(null) },
      run: async (_, __, site) => site.write("DELETE FROM video_holds"),
    };
    const kinds = { enter, holdUncompared, lie } as VisibilityKinds;
    const [fault] = await compareVisibility("a lie", 200, undefined, 40, kinds);
    expect(fault).toMatch(
      /^Error: causes: the site has \[\], and should have \["v0 comparing\/"\]/,
    );
    expect(fault).toMatch(/\nenter .+holdUncompared .+lie null/);
  }, 180_000);
});
