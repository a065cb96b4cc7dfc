import { describe, expect, it } from "vitest";
import { PREPARATION, SERVICES } from "~/boot.server";
import { READER_STEPS } from "~/boot-reader.server";
import { type BootStep, runSteps } from "~/boot-steps";

describe.each([
  ["a site", [...PREPARATION, ...SERVICES]],
  ["a reader", READER_STEPS],
])("the steps that start %s", (_, steps) => {
  const names = steps.map(({ name }) => name);

  it("have different names", () => {
    expect(new Set(names).size).toBe(names.length);
  });

  it("come after the steps that they need", () => {
    const early = steps.flatMap(({ name, after = [] }, index) =>
      after
        .filter((needed) => !names.slice(0, index).includes(needed))
        .map((needed) => `"${name}" needs "${needed}", which isn't an earlier step`),
    );
    expect(early).toEqual([]);
  });
});

describe("running the steps of the start", () => {
  it("waits for each before it begins the next", async () => {
    const events: string[] = [];
    const steps: BootStep[] = [
      {
        name: "first",
        async run() {
          await new Promise((resolve) => setImmediate(resolve));
          events.push("first");
        },
      },
      { name: "second", run: () => events.push("second") },
    ];
    await runSteps(steps);
    expect(events).toEqual(["first", "second"]);
  });

  it("ends at the first failure", async () => {
    const events: string[] = [];
    const steps: BootStep[] = [
      {
        name: "first",
        run() {
          throw new Error("The disk is full.");
        },
      },
      { name: "second", run: () => events.push("second") },
    ];
    await expect(runSteps(steps)).rejects.toThrow("The disk is full.");
    expect(events).toEqual([]);
  });
});
