import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare } from "../../scripts/torture/model/model";
import { PROGRAMS } from "../../scripts/torture/model/programs";
import { READS } from "../../scripts/torture/model/reads";
import type { StepKind } from "../../scripts/torture/model/step";

const STEPS = 600;

it("does the same as plain arrays, whoever changes what", async () => {
  expect(await compare("npm test", STEPS)).toEqual([]);
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
});
