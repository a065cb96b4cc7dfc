import fs from "node:fs";
import { expect, it } from "vitest";
import { CHECKSUMS, checksumsOf, PROCESSED_VIDEOS } from "../processed-videos";

it("the finished videos are those that npm run processed-videos has made, all and unchanged", () => {
  expect(checksumsOf(PROCESSED_VIDEOS)).toBe(fs.readFileSync(CHECKSUMS, "utf8"));
});
