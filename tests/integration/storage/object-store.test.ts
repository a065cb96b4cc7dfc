import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { S3mini } from "s3mini";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderStore } from "~/media/storage/folder-store.server";
import type { ObjectStore } from "~/media/storage/object-store";
import { s3Store } from "~/media/storage/s3-store.server";
import { writeHashed } from "~/media/storage/write-hashed.server";
import { parseStorageUrl, type StorageAddress } from "~/server/storage/storage-url";
import { freePort } from "../../free-port";
import { hasS3Server, type S3Server, startS3Server } from "../../s3/object-stores";

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "object-store-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, content: Buffer): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
}

/** More than two parts, and none of them full. */
const FILM = Buffer.from(Array.from({ length: 17 * 1024 * 1024 + 3 }, (_, index) => index % 251));

/** What every store does. */
function contract(open: () => ObjectStore): void {
  it.each([
    ["a film", "videos/u/1.mp4", FILM],
    ["a short file", "videos/u/2/hls-a/v0.mp4", Buffer.from("0123456789")],
    ["an empty file", "videos/u/3.mp4", Buffer.alloc(0)],
  ])("gives back %s as it was put", async (_, key, content) => {
    const store = open();
    const put = await store.put(key, fileOf("put", content));
    const sha256 = createHash("sha256").update(content).digest("hex");
    expect(put).toEqual({ sha256, bytes: content.length });
    expect(await store.head(key)).toEqual({ bytes: content.length });
    const read = await bytesOf(await store.get(key));
    expect(createHash("sha256").update(read).digest("hex")).toBe(sha256);
  });

  it("gives ranges, their last byte included", async () => {
    const store = open();
    await store.put("videos/u/4.mp4", fileOf("ranges", Buffer.from("0123456789")));
    const read = async (start: number, end: number) =>
      String(await bytesOf(await store.get("videos/u/4.mp4", { start, end })));
    expect(await read(0, 0)).toBe("0");
    expect(await read(3, 6)).toBe("3456");
    expect(await read(9, 9)).toBe("9");
  });

  it("lists what it has, and no more once it is removed; removing twice is no error", async () => {
    const store = open();
    await store.put("videos/listed/5.mp4", fileOf("list", Buffer.from("x")));
    expect(await keysOf(store)).toContain("videos/listed/5.mp4");
    await store.remove("videos/listed/5.mp4");
    await store.remove("videos/listed/5.mp4");
    expect(await keysOf(store)).not.toContain("videos/listed/5.mp4");
    expect(await store.head("videos/listed/5.mp4")).toBeUndefined();
  });

  it("says so of what it has not", async () => {
    await expect(open().get("videos/u/none.mp4")).rejects.toMatchObject({ failure: "missing" });
    expect(await open().head("videos/u/none.mp4")).toBeUndefined();
  });

  it("has nothing of a file that could not be read", async () => {
    const store = open();
    await expect(store.put("videos/u/6.mp4", path.join(folder, "none"))).rejects.toThrow();
    expect(await keysOf(store)).not.toContain("videos/u/6.mp4");
  });
}

describe("a folder as a store", () => {
  const open = () => folderStore(path.join(folder, "store"));
  contract(open);

  it("removes what was left half written, once it is old", async () => {
    const store = open();
    await store.put("videos/u/7.mp4", fileOf("half", Buffer.from("x")));
    fs.writeFileSync(path.join(folder, "store/videos/u/.partial-1"), "half");
    expect(await keysOf(store)).not.toContain("videos/u/.partial-1");
    expect(await store.removeUnfinished(0)).toBe(0);
    expect(await store.removeUnfinished(Date.now() + 1_000)).toBe(1);
    expect(await store.head("videos/u/7.mp4")).toEqual({ bytes: 1 });
  });

  it("is away when its disk is, and gives no addresses", async () => {
    const store = folderStore(path.join(folder, "not-mounted"));
    await expect(store.head("videos/u/1.mp4")).rejects.toMatchObject({ failure: "away" });
    expect(await store.presign("videos/u/1.mp4", 60, "video/mp4")).toBeUndefined();
  });
});

describe.runIf(hasS3Server)("a bucket of an S3-compatible store", () => {
  let server: S3Server;
  let address: Extract<StorageAddress, { kind: "s3" }>;
  let keys: { accessKeyId: string; secretAccessKey: string };
  beforeAll(async () => {
    server = await startS3Server();
    address = parseStorageUrl(server.environment.STORAGE_URL) as typeof address;
    keys = {
      accessKeyId: server.environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: server.environment.AWS_SECRET_ACCESS_KEY,
    };
  });
  afterAll(() => server?.stop());
  const open = () => s3Store(address, keys);
  contract(open);

  it("gives an address from which anyone reads, for a time", async () => {
    const store = open();
    await store.put("videos/u/8.mp4", fileOf("presigned", Buffer.from("0123456789")));
    const url = await store.presign("videos/u/8.mp4", 60, "video/mp4");
    const answer = await fetch(url!, { headers: { Range: "bytes=2-4" } });
    expect([answer.status, await answer.text()]).toEqual([206, "234"]);
    expect(answer.headers.get("Content-Type")).toBe("video/mp4");
    expect(new URL(url!).searchParams.get("X-Amz-Expires")).toBe("60");
    const changed = url!.replace("/8.mp4", "/1.mp4");
    expect((await fetch(changed)).status).toBe(403);
  });

  it.each([
    ["a short file", Buffer.from("0123456789")],
    ["a film", FILM],
  ])("says of %s what it is", async (_, content) => {
    await open().put("videos/u/9.mp4", fileOf("typed", content), "video/mp4");
    const raw = new S3mini({ ...keys, endpoint: address.endpoint, region: address.region });
    const answer = await raw.getObjectResponse(`${address.prefix}videos/u/9.mp4`);
    expect(answer?.headers.get("Content-Type")).toBe("video/mp4");
    await answer?.body?.cancel();
  });

  it("ends uploads that a killed process has left, once they are old", async () => {
    const raw = new S3mini({ ...keys, endpoint: address.endpoint, region: address.region });
    const upload = await raw.getMultipartUploadId(`${address.prefix}videos/u/half.mp4`);
    await raw.uploadPart(`${address.prefix}videos/u/half.mp4`, upload, Buffer.alloc(64), 1);
    const store = open();
    expect(await store.removeUnfinished(0)).toBe(0);
    expect(await store.removeUnfinished(Date.now() + 60_000)).toBe(1);
    expect(await store.removeUnfinished(Date.now() + 60_000)).toBe(0);
  });

  it.each([
    ["a wrong secret", () => s3Store(address, { ...keys, secretAccessKey: "wrong" })],
    ["an unknown key", () => s3Store(address, { ...keys, accessKeyId: "nobody:none" })],
    [
      "a bucket that is not there",
      () => s3Store({ ...address, endpoint: `${address.endpoint}-none` }, keys),
    ],
  ])("refuses %s at once", async (_, opened) => {
    const store = opened();
    const file = fileOf("refused", Buffer.from("x"));
    await expect(store.put("videos/u/9.mp4", file)).rejects.toMatchObject({ failure: "denied" });
    await expect(keysOf(store)).rejects.toMatchObject({ failure: "denied" });
  });

  it("is away where nobody listens", async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}/films`;
    const store = s3Store({ ...address, endpoint }, keys);
    await expect(store.get("videos/u/1.mp4")).rejects.toMatchObject({ failure: "away" });
    const file = fileOf("away", Buffer.from("x"));
    await expect(store.put("videos/u/1.mp4", file)).rejects.toMatchObject({ failure: "away" });
  });
});

it("leaves no file behind when its source fails at once and the caller removes it", async () => {
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
