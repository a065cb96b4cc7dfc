import { expect, it } from "vitest";
import { runShort, TARGETS } from "./bytes/bytes";

const INPUTS = 25_000;

it("feeds every parser with hostile bytes, and none breaks a promise", async () => {
  expect(TARGETS.length).toBeGreaterThan(30);
  expect(await runShort("npm test", INPUTS)).toEqual([]);
}, 120_000);
