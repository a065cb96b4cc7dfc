import { expect, it } from "vitest";
import { runUntimed, TARGETS } from "./bytes/bytes";

const INPUTS = 25_000;

it("finds no faults when every parser is fuzzed", async () => {
  expect(TARGETS.length).toBeGreaterThan(30);
  expect(await runUntimed("npm test", INPUTS)).toEqual([]);
}, 120_000);
