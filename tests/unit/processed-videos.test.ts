import fs from "node:fs";
import { expect, it } from "vitest";
import { CHECKSUMS, checksumsOf, PROCESSED_VIDEOS } from "../processed-videos";

it("the processed videos match the checksums written by npm run processed-videos", () => {
  expect(checksumsOf(PROCESSED_VIDEOS)).toBe(fs.readFileSync(CHECKSUMS, "utf8"));
});
