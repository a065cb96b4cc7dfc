import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bytesRead,
  countOpenDescriptors,
  residentBytes,
  until,
  untilStable,
} from "../../process-figures";
import { rawGet } from "../../raw-request";
import { SiteProcess } from "../../site-process";

const MIB = 1024 ** 2;
const FILE_BYTES = 400 * MIB;
const URL_PATH = "/media/videos/u/1700000000000.mp4";

const site = new SiteProcess();
const file = path.join(site.uploads, "videos/u/1700000000000.mp4");
const pid = () => site.child!.pid!;
const clients = new Set<net.Socket>();

beforeAll(async () => {
  await site.start();
  site.addFile("videos", "u/1700000000000.mp4", "");
  fs.truncateSync(file, FILE_BYTES);
  site.addVideo({ video_url: URL_PATH });
  await (await fetch(site.url + URL_PATH, { headers: { Range: "bytes=0-1000000" } })).arrayBuffer();
});
afterAll(() => site.remove());

/** Requests the file, reads the beginning of the response, and then stops reading. */
async function stalledClient(): Promise<net.Socket> {
  const { hostname, port } = new URL(site.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  clients.add(socket);
  socket.on("error", () => {});
  socket.once("close", () => clients.delete(socket));
  socket.write(`GET ${URL_PATH} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  await once(socket, "data");
  socket.pause();
  return socket;
}

const many = (count: number) => Promise.all(Array.from({ length: count }, stalledClient));

/** Reads the rest of a paused response until `wanted` bytes have arrived. */
async function readOn(socket: net.Socket, wanted: number): Promise<void> {
  let received = 0;
  socket.on("data", (chunk) => {
    received += chunk.length;
  });
  socket.resume();
  await until(() => received >= wanted || socket.destroyed);
  expect(received).toBeGreaterThanOrEqual(wanted);
}

describe("a client that stops reading a 400 MiB file", () => {
  it("doesn't cause read-ahead, and gets the rest when it resumes reading", async () => {
    const before = { memory: residentBytes(pid()), read: bytesRead(pid()) };
    const socket = await stalledClient();
    const read = await untilStable(() => bytesRead(pid()));
    expect(read - before.read).toBeLessThan(40 * MIB);
    expect(residentBytes(pid()) - before.memory).toBeLessThan(40 * MIB);
    expect(countOpenDescriptors(pid(), file)).toBe(1);
    await readOn(socket, FILE_BYTES - MIB);
    await until(() => countOpenDescriptors(pid(), file) === 0);
    socket.destroy();
  });
});

describe("a client that disconnects", () => {
  it("doesn't leave a file open, and the file isn't read any further", async () => {
    const socket = await stalledClient();
    const before = bytesRead(pid());
    socket.destroy();
    await until(() => countOpenDescriptors(pid(), file) === 0);
    expect((await untilStable(() => bytesRead(pid()))) - before).toBeLessThan(40 * MIB);
  });

  it("can disconnect before the response begins", async () => {
    const { hostname, port } = new URL(site.url);
    for (let index = 0; index < 50; index++) {
      const socket = net.connect({ host: hostname, port: Number(port) });
      await once(socket, "connect");
      socket.write(`GET ${URL_PATH} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      socket.destroy();
    }
    await until(() => countOpenDescriptors(pid(), file) === 0);
    expect((await fetch(`${site.url}/healthz`)).status).toBe(200);
  });
});

describe("a hundred paused and disconnected clients", () => {
  it("take up little memory, and don't keep files open after they have disconnected", async () => {
    const before = residentBytes(pid());
    await many(100);
    for (const socket of await many(100)) socket.destroy();
    await until(() => countOpenDescriptors(pid(), file) === 100);
    await untilStable(() => bytesRead(pid()));
    expect(residentBytes(pid()) - before).toBeLessThan(60 * MIB);
    for (const socket of clients) socket.destroy();
    await until(() => countOpenDescriptors(pid(), file) === 0);
    expect(site.log.match(/^.*(error|warning).*$/gim)).toBeNull();
  });
});

describe("a download", () => {
  it("returns the exact bytes, in ranges and over one connection", async () => {
    const bytes = randomBytes(40 * MIB + 7);
    const url = site.url + site.addFile("videos", "u/1700000000001.mp4", bytes);
    site.addVideo({ video_url: "/media/videos/u/1700000000001.mp4" });
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(whole.equals(bytes)).toBe(true);
    for (const [start, end] of [
      [0, 0],
      [65_535, 65_536],
      [100, 2 * MIB],
      [20 * MIB - 3, 39 * MIB],
      [40 * MIB, 40 * MIB + 6],
    ] as const) {
      const response = await fetch(url, { headers: { Range: `bytes=${start}-${end}` } });
      expect(response.status).toBe(206);
      const part = Buffer.from(await response.arrayBuffer());
      expect(part.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
  });

  it("is never compressed, because ranges refer to the stored bytes", async () => {
    const url = site.url + site.addFile("videos", "u/1700000000002.vtt", "WEBVTT\n".repeat(1000));
    site.addVideo({ video_url: "/media/videos/u/1700000000002.vtt" });
    const response = await fetch(url, { headers: { "Accept-Encoding": "gzip" } });
    expect(response.headers.get("Content-Encoding")).toBeNull();
    expect(response.headers.get("Content-Length")).toBe("7000");
    expect(response.headers.get("Rating")).toMatch(/^RTA-/);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    await response.body?.cancel();
  });
});

describe("a URL with an alternative spelling", () => {
  // A URL object would normalize these paths before they are sent, so the requests are written by hand.
  it.each([
    ["/media/videos/u/../u/1700000000000.mp4", 400],
    ["/media/videos/u/./1700000000000.mp4", 400],
    ["/media/videos\\u\\1700000000000.mp4", 400],
    ["/media/../../../../etc/passwd", 400],
    ["/media/videos/u/%2e%2e/u/1700000000000.mp4", 400],
    ["/media/videos/u/..%2f..%2f..%2fdb/site.sqlite", 404],
    ["/media/videos/u/1700000000000.mp4%00.txt", 404],
    ["/media/videos/u/1700000000000.mp4.data", 404],
    ["//media/videos/u/1700000000000.mp4", 404],
  ])("%s returns %d", async (target, status) => {
    const response = await rawGet(site.url, target);
    expect(response.split(" ")[1]).toBe(String(status));
  });
});

describe("a file that is truncated while it is being sent", () => {
  it("causes the connection to be closed, so that the response isn't mistaken for a complete one", async () => {
    site.addFile("videos", "u/1700000000001.mp4", "");
    const shortened = path.join(site.uploads, "videos/u/1700000000001.mp4");
    fs.truncateSync(shortened, FILE_BYTES);
    const address = "/media/videos/u/1700000000001.mp4";
    site.addVideo({ id: "shortened", video_url: address });
    const response = await fetch(site.url + address);
    expect(response.headers.get("Content-Length")).toBe(String(FILE_BYTES));
    fs.truncateSync(shortened, MIB);
    await expect(response.arrayBuffer()).rejects.toThrow("terminated");
    await until(() => countOpenDescriptors(pid(), shortened) === 0);
  });
});
