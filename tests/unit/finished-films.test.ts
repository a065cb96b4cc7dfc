import fs from "node:fs";
import { expect, it } from "vitest";
import { CHECKSUMS, checksumsOf, FINISHED_FILMS } from "../finished-films";

it("the finished films are those that npm run finished-films has made, all and unchanged", () => {
  expect(checksumsOf(FINISHED_FILMS)).toBe(fs.readFileSync(CHECKSUMS, "utf8"));
});
