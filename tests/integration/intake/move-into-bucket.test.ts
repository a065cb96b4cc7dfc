import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { reserveBasePaths } from "~/features/upload/import/files.server";
import { reserveSecond, reserveUploadId } from "~/media/intake/move-into-bucket.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(async () => {
  vi.useRealTimers();
  await site.remove();
});

const folder = () => path.join(site.uploads, "videos", "me");
const NOW = 1_763_710_000_400;
const stopTheClock = () => vi.useFakeTimers({ now: NOW, toFake: ["Date"] });

describe("upload ids that are reserved in the same second", () => {
  it("use the previous second first, and then earlier seconds", async () => {
    stopTheClock();
    const two = await Promise.all([reserveSecond("me"), reserveSecond("me")]);
    expect(two.map(({ first }) => first).sort()).toEqual([1_763_709_998_000, 1_763_709_999_000]);
    for (const { free } of two) await free();
    expect(fs.readdirSync(folder())).toEqual([]);
  });

  it("skip seconds for which the user already has a file or a folder", async () => {
    stopTheClock();
    fs.mkdirSync(path.join(folder(), "1763709999123"), { recursive: true });
    fs.writeFileSync(path.join(folder(), "1763709998999.webm"), "");
    expect((await reserveSecond("me")).first).toBe(1_763_709_997_000);
    expect(fs.readdirSync(folder()).sort()).toEqual([
      "1763709997000",
      "1763709998999.webm",
      "1763709999123",
    ]);
  });

  it("skip seconds for which the user has only a thumbnail", async () => {
    stopTheClock();
    const thumbnails = path.join(site.uploads, "thumbnails", "me");
    fs.mkdirSync(thumbnails, { recursive: true });
    fs.writeFileSync(path.join(thumbnails, "1763709999005.webp"), "");
    expect((await reserveSecond("me")).first).toBe(1_763_709_998_000);
  });

  it("never clash with a concurrent upload", async () => {
    const [uploadId, { first }] = await Promise.all([reserveUploadId("me"), reserveSecond("me")]);
    expect(first).toBeLessThanOrEqual(uploadId - 1_000 - (uploadId % 1_000));
  });
});

describe("a batch's base paths", () => {
  it("are unique, even if some imported files keep their paths", async () => {
    stopTheClock();
    const reservations = reserveBasePaths("me");
    const wanted = [undefined, "me/1763709999001", "me/1763709990000", "me/1763709990000"];
    const basePaths: string[] = [];
    for (const basePath of wanted) basePaths.push(await reservations.reserve(basePath));
    expect(basePaths).toEqual([
      "me/1763709999000",
      // The batch has already reserved this path's second.
      "me/1763709999001",
      "me/1763709990000",
      "me/1763709999002",
    ]);
    expect(new Set(basePaths).size).toBe(basePaths.length);
  });
});
