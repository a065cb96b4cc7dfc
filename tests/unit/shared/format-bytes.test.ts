import { expect, it } from "vitest";
import { estimateStorage, formatStorage } from "~/shared/format-bytes";

const MB = 1024 ** 2;
const GB = 1024 ** 3;

it.each([
  [0, "0.0 MB"],
  [9.44 * MB, "9.4 MB"],
  [1_023 * MB, "1023.0 MB"],
  [GB, "1.00 GB"],
  [1.5 * GB, "1.50 GB"],
])("shows %d bytes as %s", (bytes, text) => expect(formatStorage(bytes)).toBe(text));

it("estimates 50 MB for each video, and shows the total in GB", () => {
  expect(estimateStorage(75)).toBe("~3.66 GB");
});
