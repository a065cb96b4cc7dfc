import fs from "node:fs";
import { expect, it } from "vitest";
import { CHECKSUMS, checksumsOf, FINISHED_VIDEOS } from "../processed-videos";

it("the processed videos match the checksums that npm run processed-videos wrote", () => {
  expect(checksumsOf(FINISHED_VIDEOS)).toBe(fs.readFileSync(CHECKSUMS, "utf8"));
});
