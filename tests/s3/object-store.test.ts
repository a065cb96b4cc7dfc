import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { HeadObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { s3Store } from "~/media/storage/s3-store.server";
import { parseStorageUrl, type StorageAddress } from "~/platform/storage/storage-url";
import { freePort } from "../free-port";
import { beginUpload, clientOf, hasS3Server, type S3Server, startS3Server } from "./object-stores";
import { fileIn, keysOf, storeContract, VIDEO } from "./store-contract";

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "object-store-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string, content: Buffer) => fileIn(folder, name, content);

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
  storeContract(open, () => folder);

  it("presigns a URL that gives anyone read access for a limited time", async () => {
    const store = open();
    await store.put("videos/u/8.mp4", fileOf("presigned", Buffer.from("0123456789")));
    const url = await store.presign("videos/u/8.mp4", 60, "video/mp4");
    const response = await fetch(url!, { headers: { Range: "bytes=2-4" } });
    expect([response.status, await response.text()]).toEqual([206, "234"]);
    expect(response.headers.get("Content-Type")).toBe("video/mp4");
    expect(new URL(url!).searchParams.get("X-Amz-Expires")).toBe("60");
    const changed = url!.replace("/8.mp4", "/1.mp4");
    expect((await fetch(changed)).status).toBe(403);
  });

  it.each([
    ["a short file", Buffer.from("0123456789")],
    ["a video", VIDEO],
  ])("stores the content type of %s", async (_, content) => {
    await open().put("videos/u/9.mp4", fileOf("typed", content), "video/mp4");
    const { client, objectAt } = clientOf(server.environment);
    const { ContentType } = await client.send(new HeadObjectCommand(objectAt("videos/u/9.mp4")));
    expect(ContentType).toBe("video/mp4");
  });

  it("aborts old multipart uploads left by killed processes", async () => {
    await beginUpload(server.environment, "videos/u/half.mp4");
    const store = open();
    expect(await store.removeUnfinished(0)).toBe(0);
    expect(await store.removeUnfinished(Date.now() + 60_000)).toBe(1);
    expect(await store.removeUnfinished(Date.now() + 60_000)).toBe(0);
  });

  it.each([
    ["a wrong secret", () => s3Store(address, { ...keys, secretAccessKey: "wrong" })],
    ["an unknown key", () => s3Store(address, { ...keys, accessKeyId: "unknown:none" })],
    ["a bucket that doesn't exist", () => s3Store({ ...address, bucket: "none" }, keys)],
  ])("fails immediately with %s", async (_, openStore) => {
    const store = openStore();
    const file = fileOf("refused", Buffer.from("x"));
    await expect(store.put("videos/u/9.mp4", file)).rejects.toMatchObject({ failure: "denied" });
    await expect(keysOf(store)).rejects.toMatchObject({ failure: "denied" });
  });

  it("fails with `away` if the server isn't running", async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const store = s3Store({ ...address, endpoint }, keys);
    await expect(store.get("videos/u/1.mp4")).rejects.toMatchObject({ failure: "away" });
    const file = fileOf("away", Buffer.from("x"));
    await expect(store.put("videos/u/1.mp4", file)).rejects.toMatchObject({ failure: "away" });
  });
});
