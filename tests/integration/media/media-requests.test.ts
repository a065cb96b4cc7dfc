import http from "node:http";
import net from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addToken } from "../../api-token";
import { until } from "../../process-figures";
import { SiteProcess } from "../../site-process";

/** A trusted address, such as a proxy's, and two untrusted addresses, all of which belong to this machine. */
const PROXY = "127.0.0.1";
const [GREEDY, VISITOR] = ["127.0.0.2", "127.0.0.3"];
const LIMIT = 5;
const METRICS_TOKEN = "of-a-test-with-16";
const LARGE_BYTES = 64 * 1024 ** 2;

const site = new SiteProcess({
  TRUSTED_PROXIES: PROXY,
  PUBLIC_URL: "https://videos.example",
  MAX_PARALLEL_MEDIA: String(LIMIT),
  METRICS_TOKEN,
});
let small: string;
let large: string;
beforeAll(async () => {
  await site.start();
  small = site.addFile("videos", "u/1700000000001.mp4", "0123456789".repeat(1_000));
  large = site.addFile("videos", "u/1700000000002.mp4", Buffer.alloc(LARGE_BYTES));
  for (const video_url of [small, large]) site.addVideo({ video_url });
});
afterAll(() => site.remove());

function sendRequest(path: string, localAddress: string, options: http.RequestOptions = {}) {
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; bytes: number }>(
    (resolve, reject) => {
      http
        .request(site.url + path, { agent: false, localAddress, ...options }, async (response) => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, bytes: (await buffer(response)).length });
        })
        .on("error", reject)
        .end();
    },
  );
}

/** Starts a download, and stops reading after the first bytes. */
async function stall(localAddress: string, path = large, headers = ""): Promise<net.Socket> {
  const { port } = new URL(site.url);
  const socket = net.connect({ port: Number(port), host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: videos.example\r\n${headers}\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

async function sentBytes(): Promise<number> {
  const response = await fetch(`${site.url}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  return Number(/^afterdark_transfer_bytes_total (\d+)$/m.exec(await response.text())?.[1]);
}

/**
 * Returns how many more bytes have been sent because of `work`, after waiting until there are at least `least` of them.
 */
async function added(work: () => Promise<unknown>, least: number): Promise<number> {
  const before = await sentBytes();
  await work();
  await until(async () => (await sentBytes()) - before >= least);
  return (await sentBytes()) - before;
}

describe("file requests from one network", () => {
  it("are limited in number, and free their slot whether they are completed or aborted", async () => {
    for (const destroy of [false, true]) {
      const sockets = await Promise.all(Array.from({ length: LIMIT }, () => stall(GREEDY)));
      const rejected = await sendRequest(small, GREEDY);
      expect([rejected.status, rejected.headers["retry-after"]]).toEqual([429, "5"]);
      expect((await sendRequest(small, VISITOR)).status).toBe(200);
      // Pages aren't limited.
      expect((await sendRequest("/", GREEDY)).status).toBe(200);
      for (const socket of sockets) destroy ? socket.destroy() : socket.end();
      for (const socket of sockets) socket.resume();
      await until(async () => (await sendRequest(small, GREEDY)).status === 200);
    }
  });

  it("free their slot after a response without a body, an error or a closed connection", async () => {
    const file = small.replace("0001", "9999");
    const etag = (await sendRequest(small, GREEDY)).headers.etag!;
    for (let count = 0; count < 2 * LIMIT; count++) {
      const statuses = [
        (await sendRequest(small, GREEDY, { method: "HEAD" })).status,
        (await sendRequest(small, GREEDY, { method: "DELETE" })).status,
        (await sendRequest(file, GREEDY)).status,
        (await sendRequest(small, GREEDY, { headers: { Range: "bytes=90000-" } })).status,
        (await sendRequest(small, GREEDY, { headers: { "If-None-Match": etag } })).status,
      ];
      expect(statuses).toEqual([200, 405, 404, 416, 304]);
      (await stall(GREEDY, small)).destroy();
    }
    // Send several requests over one connection, so that all of their responses wait for the first.
    const { port } = new URL(site.url);
    const socket = net.connect({ port: Number(port), host: "127.0.0.1", localAddress: GREEDY });
    socket.on("error", () => {});
    socket.write(`GET ${large} HTTP/1.1\r\nHost: videos.example\r\n\r\n`.repeat(LIMIT));
    await until(async () => (await sendRequest(small, GREEDY)).status === 429);
    socket.destroy();
    await until(async () => (await sendRequest(small, GREEDY)).status === 200);
  });

  it("aren't limited for signed-in accounts, or if they come from a proxy that doesn't specify the client's IP address", async () => {
    const Authorization = `Bearer ${addToken(site)}`;
    const sockets = await Promise.all(Array.from({ length: LIMIT }, () => stall(GREEDY)));
    expect((await sendRequest(small, GREEDY, { headers: { Authorization } })).status).toBe(200);
    expect((await sendRequest(small, GREEDY)).status).toBe(429);
    const client = "X-Forwarded-For: 203.0.113.7\r\n";
    for (let count = 0; count < LIMIT + 3; count++) sockets.push(await stall(PROXY));
    for (let count = 0; count < LIMIT; count++) sockets.push(await stall(PROXY, large, client));
    const behind = (address: string) =>
      sendRequest(small, PROXY, { headers: { "X-Forwarded-For": address } });
    expect((await behind("203.0.113.7")).status).toBe(429);
    expect((await behind("203.0.113.8")).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

describe("the number of bytes sent", () => {
  it("includes complete files and ranges, and nothing else", async () => {
    expect(await added(() => sendRequest(small, VISITOR), 10_000)).toBe(10_000);
    const Range = "bytes=10-109";
    expect(await added(() => sendRequest(small, VISITOR, { headers: { Range } }), 100)).toBe(100);
    const etag = (await sendRequest(small, VISITOR)).headers.etag!;
    const nothing = async () => {
      await sendRequest(small, VISITOR, { method: "HEAD" });
      await sendRequest(small, VISITOR, { headers: { "If-None-Match": etag } });
      await sendRequest("/", VISITOR);
      await sendRequest(small, VISITOR, { headers: { Range: "bytes=0-0" } });
    };
    expect(await added(nothing, 1)).toBe(1);
  });

  it("includes what a client received before it disconnected", async () => {
    const bytes = await added(async () => (await stall(VISITOR)).destroy(), 1);
    expect(bytes).toBeLessThan(LARGE_BYTES / 2);
  });

  it("is stored in the database as a daily total when the process exits", async () => {
    const before = await sentBytes();
    expect(before).toBeGreaterThan(10_000);
    expect(await site.stop()).toBe(0);
    const rows = site.database().prepare("SELECT day, bytes FROM transfer_days").all() as {
      day: string;
      bytes: number;
    }[];
    expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(before);
    for (const { day } of rows) expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(site.log).not.toContain(GREEDY);
  });
});
