import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { expect, it } from "vitest";
import type { ObjectStore } from "~/media/storage/object-store";

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
}

/** Writes a file that can be uploaded with `put`. Returns its path. */
export function fileIn(folder: string, name: string, content: Buffer): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
}

/** A file that needs more than two parts in a multipart upload. */
export const VIDEO = Buffer.from(
  Array.from({ length: 17 * 1024 * 1024 + 3 }, (_, index) => index % 251),
);

/**
 * Tests that every store must pass.
 *
 * @param folder returns a folder for files to upload.
 */
export function storeContract(open: () => ObjectStore, folder: () => string): void {
  const fileOf = (name: string, content: Buffer) => fileIn(folder(), name, content);

  it.each([
    ["a video", "videos/u/1.mp4", VIDEO],
    ["a short file", "videos/u/2/hls-a/v0.mp4", Buffer.from("0123456789")],
    ["an empty file", "videos/u/3.mp4", Buffer.alloc(0)],
  ])("returns %s unchanged", async (_, key, content) => {
    const store = open();
    const put = await store.put(key, fileOf("put", content));
    const sha256 = createHash("sha256").update(content).digest("hex");
    expect(put).toEqual({ sha256, bytes: content.length });
    expect(await store.head(key)).toEqual({ bytes: content.length });
    const read = await bytesOf(await store.get(key));
    expect(createHash("sha256").update(read).digest("hex")).toBe(sha256);
  });

  it("returns ranges, including their last byte", async () => {
    const store = open();
    await store.put("videos/u/4.mp4", fileOf("ranges", Buffer.from("0123456789")));
    const read = async (start: number, end: number) =>
      String(await bytesOf(await store.get("videos/u/4.mp4", { start, end })));
    expect(await read(0, 0)).toBe("0");
    expect(await read(3, 6)).toBe("3456");
    expect(await read(9, 9)).toBe("9");
  });

  it("lists an object until it is removed, and allows removing it twice", async () => {
    const store = open();
    await store.put("videos/listed/5.mp4", fileOf("list", Buffer.from("x")));
    expect(await keysOf(store)).toContain("videos/listed/5.mp4");
    await store.remove("videos/listed/5.mp4");
    await store.remove("videos/listed/5.mp4");
    expect(await keysOf(store)).not.toContain("videos/listed/5.mp4");
    expect(await store.head("videos/listed/5.mp4")).toBeUndefined();
  });

  it("fails with `missing` if an object doesn't exist", async () => {
    await expect(open().get("videos/u/none.mp4")).rejects.toMatchObject({ failure: "missing" });
    expect(await open().head("videos/u/none.mp4")).toBeUndefined();
  });

  it("stores nothing if a file can't be read", async () => {
    const store = open();
    await expect(store.put("videos/u/6.mp4", path.join(folder(), "none"))).rejects.toThrow();
    expect(await keysOf(store)).not.toContain("videos/u/6.mp4");
  });
}
