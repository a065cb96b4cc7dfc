import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ObjectStore } from "~/media/storage/object-store";
import { s3Store } from "~/media/storage/s3-store.server";

const MINUTE_MS = 60_000;

let server: http.Server;
let store: ObjectStore;
let clockMs: number;

beforeEach(async () => {
  clockMs = 0;
  server = http.createServer((_, response) => {
    response.writeHead(404, { Date: new Date(Date.now() + clockMs).toUTCString() }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  store = s3Store(
    {
      kind: "s3",
      endpoint: `http://127.0.0.1:${port}`,
      region: "eu-1",
      bucket: "videos",
      prefix: "",
    },
    { accessKeyId: "key", secretAccessKey: "secret" },
  );
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/** Returns the time at which a URL becomes valid. */
async function signedAt(): Promise<number> {
  const url = new URL((await store.presign("videos/u/1.mp4", 60, "video/mp4"))!);
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(url.searchParams.get("X-Amz-Date")!)!;
  return Date.parse(
    `${date!.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time!.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`,
  );
}

it.each([
  ["behind", 3],
  ["ahead of", -3],
])(
  "presigned URLs use the store's time if the site's clock is %s the store's clock",
  async (_, minutes) => {
    clockMs = minutes * MINUTE_MS;
    await store.head("videos/u/1.mp4");
    const offset = (await signedAt()) - (Date.now() + clockMs);
    expect(Math.abs(offset)).toBeLessThan(5_000);
  },
);

it("presigned URLs use the site's time until the store has responded once", async () => {
  expect(Math.abs((await signedAt()) - Date.now())).toBeLessThan(5_000);
});
