import http from "node:http";
import net from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { imageEnvironment } from "../../image-environment";
import { residentBytes, until } from "../../process-figures";
import { SiteProcess } from "../../site-process";

/** Two of this machine's addresses: a trusted one, such as a proxy's, and an untrusted one. */
const PROXY = "127.0.0.1";
const ATTACKER = "127.0.0.2";
/** Returns a new network for each page, because a single network would exhaust its rendering budget. */
const visitorAt = (page: number) => ({ localAddress: `127.0.3.${page % 250}` });
const ATTACK_SOCKETS = 6_000;
const NETWORK_LIMIT = 200;
const REQUEST_LIMIT = 2_000;
/** The memory limit for the process. Its heap may use up to 512 MiB. */
const MAX_RESIDENT_BYTES = 512 * 1024 ** 2;

const site = new SiteProcess({
  ...imageEnvironment(),
  TRUSTED_PROXIES: PROXY,
  PUBLIC_URL: "https://videos.example",
});
let sockets: net.Socket[] = [];

beforeAll(async () => {
  await site.start();
  for (let index = 0; index < 30; index++) site.addVideo({ title: `Video ${index}` });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});
afterAll(() => site.remove());

/** Returns a request with `size` bytes of headers, in lines of 150 bytes, and an endless body. */
function slowRequest(size: number, forwardedFor?: string): string {
  const lines = [
    "POST /saved/videos HTTP/1.1",
    "Host: videos.example",
    "Origin: https://videos.example",
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Length: 16000",
    ...(forwardedFor ? [`X-Forwarded-For: ${forwardedFor}`] : []),
  ];
  const count = Math.floor((size - lines.join("\r\n").length) / 150);
  const more = Array.from({ length: count }, (_, index) => `X-${index}: `.padEnd(148, "x"));
  return `${[...lines, ...more].join("\r\n")}\r\n\r\n${"id=1&".repeat(40)}`;
}

const hasEnded = () => site.child?.exitCode !== null || site.child.signalCode !== null;

interface Attack {
  /** The number of responses by status. */
  statuses: Map<number, number>;
  /** The number of connections that the site has closed. */
  closed: number;
}

/** Opens connections from an address, a few at a time, and sends a slow request over each. */
async function attack(
  count: number,
  from: string,
  request: (index: number) => string,
): Promise<Attack> {
  const { port } = new URL(site.url);
  const result: Attack = { statuses: new Map(), closed: 0 };
  const open = (index: number) =>
    new Promise<void>((resolve) => {
      const socket = net.connect({ port: Number(port), host: "127.0.0.1", localAddress: from });
      sockets.push(socket);
      socket.on("connect", () => socket.write(request(index), () => resolve()));
      socket.on("data", (chunk) => {
        const status = Number(/^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1]);
        if (status) result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
      });
      socket.on("error", () => resolve());
      socket.on("close", () => {
        result.closed += 1;
        resolve();
      });
    });
  const AT_ONCE = 50;
  for (let index = 0; index < count; index += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, next) => open(index + next)));
  }
  return result;
}

/**
 * Returns the statuses of rejected requests. A 408 doesn't count, because a busy machine may cause one after a minute.
 */
const refusals = ({ statuses }: Attack) => [...statuses.keys()].filter((status) => status !== 408);

/** Requests an uncached page as a visitor from a new network. */
async function browse(
  number: number,
  options: http.RequestOptions,
): Promise<[status: number | string, isPage: boolean]> {
  const path = `/?search=Video+${number % 30}&page=1&n=${number}`;
  return new Promise((resolve) => {
    const request = http.get(site.url + path, { agent: false, ...options }, async (response) => {
      const page = await text(response).catch(String);
      resolve([response.statusCode ?? 0, page.includes(`href="/video/`)]);
    });
    request.on("error", ({ message }) => resolve([message, false]));
  });
}

/** Requests pages until `isOver` returns true. Returns the responses that weren't pages. */
async function browseUntil(isOver: () => boolean, visitor: (page: number) => http.RequestOptions) {
  const failures: unknown[] = [];
  let pages = 0;
  while (!isOver()) {
    const [status, isPage] = await browse(pages, visitor(pages));
    if (status !== 200 || !isPage) failures.push(status);
    pages += 1;
  }
  return { failures, pages };
}

describe("one client with thousands of slow requests", () => {
  it("doesn't crash the process, and doesn't prevent another client from browsing", async () => {
    let isOver = false;
    const browsing = browseUntil(() => isOver, visitorAt);
    // The headers are as large as the site accepts.
    const result = await attack(ATTACK_SOCKETS, ATTACKER, () => slowRequest(8_000));
    const rejected = ATTACK_SOCKETS - NETWORK_LIMIT;
    await until(() => result.closed >= rejected || hasEnded());
    expect(hasEnded()).toBe(false);
    isOver = true;
    const { failures, pages } = await browsing;
    expect(failures).toEqual([]);
    expect(pages).toBeGreaterThan(0);
    expect(residentBytes(site.child!.pid!)).toBeLessThan(MAX_RESIDENT_BYTES);
    expect(site.log.match(/Refused \d+ connections or requests/g)?.length).toBeLessThan(5);
    expect(site.log).not.toContain(ATTACKER);
  }, 120_000);

  it("gets 429 behind a proxy if it exceeds its limit, and other clients can still browse", async () => {
    let isOver = false;
    const browsing = browseUntil(
      () => isOver,
      (page) => ({
        localAddress: PROXY,
        headers: { "X-Forwarded-For": `198.51.100.${page % 250}` },
      }),
    );
    const count = 1_000;
    const result = await attack(count, PROXY, () => slowRequest(7_900, "203.0.113.7"));
    await until(() => result.closed >= count - NETWORK_LIMIT || hasEnded());
    expect(hasEnded()).toBe(false);
    isOver = true;
    const { failures, pages } = await browsing;
    expect(failures).toEqual([]);
    expect(pages).toBeGreaterThan(0);
    expect(refusals(result)).toEqual([429]);
  }, 120_000);
});

describe("thousands of clients with slow requests behind a proxy", () => {
  it("don't crash the process, which serves pages again once they have disconnected", async () => {
    const count = REQUEST_LIMIT + 500;
    const networkOf = (index: number) => `203.0.${index % 250}.${Math.floor(index / 250)}`;
    const result = await attack(count, PROXY, (index) => slowRequest(7_900, networkOf(index)));
    await until(() => result.closed >= 500 || hasEnded());
    expect(hasEnded()).toBe(false);
    expect(residentBytes(site.child!.pid!)).toBeLessThan(MAX_RESIDENT_BYTES);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await browse(1, visitorAt(1)))[0] === 200);
  }, 120_000);
});

describe("a request with many headers", () => {
  const answerTo = async (headers: string[]) => {
    const socket = net.connect({ port: Number(new URL(site.url).port), host: PROXY });
    const lines = ["GET / HTTP/1.1", "Host: videos.example", "Connection: close", ...headers];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    return (await text(socket)).split("\r\n", 1)[0];
  };
  const some = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`);

  it("is accepted if it has 64 headers, and rejected with 431 if it has more or they exceed 8 KB", async () => {
    expect(await answerTo(some(62))).toBe("HTTP/1.1 200 OK");
    expect(await answerTo(some(63))).toBe("HTTP/1.1 431 Request Header Fields Too Large");
    expect(await answerTo(some(200))).toBe("HTTP/1.1 431 Request Header Fields Too Large");
    expect(await answerTo([`X: ${"x".repeat(8_200)}`])).toBe(
      "HTTP/1.1 431 Request Header Fields Too Large",
    );
  }, 120_000);
});
