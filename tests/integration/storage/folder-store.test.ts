import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderStore } from "~/media/storage/folder-store.server";
import { writeHashed } from "~/media/storage/write-hashed.server";
import { fileIn, keysOf, storeContract } from "../../s3/store-contract";

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "object-store-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string, content: Buffer) => fileIn(folder, name, content);

describe("a folder used as a store", () => {
  const open = () => folderStore(path.join(folder, "store"));
  storeContract(open, () => folder);

  it("removes old incomplete files", async () => {
    const store = open();
    await store.put("videos/u/7.mp4", fileOf("half", Buffer.from("x")));
    fs.writeFileSync(path.join(folder, "store/videos/u/.partial-1"), "half");
    expect(await keysOf(store)).not.toContain("videos/u/.partial-1");
    expect(await store.removeUnfinished(0)).toBe(0);
    expect(await store.removeUnfinished(Date.now() + 1_000)).toBe(1);
    expect(await store.head("videos/u/7.mp4")).toEqual({ bytes: 1 });
  });

  it("doesn't create presigned URLs, and reports a failure while its disk isn't mounted", async () => {
    const store = folderStore(path.join(folder, "not-mounted"));
    await expect(store.head("videos/u/1.mp4")).rejects.toMatchObject({ failure: "away" });
    expect(await store.presign("videos/u/1.mp4", 60, "video/mp4")).toBeUndefined();
  });
});

it("a failed write doesn't recreate its target file after the caller has removed it", async () => {
  for (let index = 0; index < 50; index++) {
    const target = path.join(folder, `failed-${index}`);
    const source = new Readable({
      read() {
        this.destroy(new Error("cut"));
      },
    });
    await expect(writeHashed(source, target)).rejects.toThrow("cut");
    fs.rmSync(target, { force: true });
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(fs.readdirSync(folder).filter((name) => name.startsWith("failed-"))).toEqual([]);
});
