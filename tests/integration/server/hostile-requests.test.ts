import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../process-figures";
import { rawGet, rawRequest } from "../../raw-request";
import { sendRequest } from "../../site-client";
import { ADMIN, SiteProcess } from "../../site-process";

/** Requests that attackers send to exhaust the site's resources or to lock others out. */

const PUBLIC_URL = "https://videos.example";
const site = new SiteProcess({ PUBLIC_URL });
beforeAll(() => site.start());
afterAll(() => site.remove());

const FORM = { "Content-Type": "application/x-www-form-urlencoded", Origin: PUBLIC_URL };
const from = (address: string) => ({ ...FORM, "X-Forwarded-For": address });
const statusOf = (response: string) => Number(response.split(" ")[1]);

describe("a form that anyone may send", () => {
  const send = (headers: Record<string, string>, body: string | Buffer, path = "/contact") =>
    sendRequest(site, "POST", path, { ...FORM, ...headers }, body);

  it("isn't accepted as multipart, because empty parts take up a thousand times their size in memory", async () => {
    const body = "--b\r\n\r\n\r\n".repeat(28_000);
    for (const path of ["/contact", "/age", "/auth"]) {
      const type = { "Content-Type": "multipart/form-data; boundary=b" };
      expect((await send(type, body, path)).status).toBe(415);
    }
  });

  it("is limited to 16 KiB, with or without Content-Length", async () => {
    const long = `name=${"x".repeat(16 * 1024)}`;
    expect((await send({}, long)).status).toBe(413);
    expect((await send({ "Transfer-Encoding": "chunked" }, long)).status).toBe(413);
    expect((await send({}, `name=${"x".repeat(16_000)}`)).status).toBe(422);
  });

  it("is rejected after hundreds of requests per minute from one IP address, but not from other addresses", async () => {
    const age = (address: string) =>
      sendRequest(site, "POST", "/age", from(address), "returnTo=%2F").then(({ status }) => status);
    const statuses: number[] = [];
    for (let round = 0; round < 35; round += 1) {
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => age("192.0.2.9")))));
    }
    expect(statuses.filter((status) => status === 302)).toHaveLength(300);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
    expect(await age("192.0.2.10")).toBe(302);
  });
});

describe("a flood of sign-ins from one IP address", () => {
  const good = new URLSearchParams(ADMIN).toString();
  const signIn = (address: string, body: string, cookie = "") =>
    sendRequest(site, "POST", "/auth", { ...from(address), Cookie: cookie }, body);

  it("doesn't lock out other addresses, or a known browser at the same address", async () => {
    const flooder = "198.51.100.7";
    const first = await signIn("198.51.100.1", good);
    expect(first.status).toBe(302);
    const cookies = (first.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]!);
    const device = cookies.find((cookie) => cookie.startsWith("device="))!;

    let over = false;
    const rejected = { count: 0 };
    const flood = Array.from({ length: 12 }, async () => {
      while (!over) {
        const body = new URLSearchParams({ ...ADMIN, password: "a wrong one" }).toString();
        const { status } = await signIn(flooder, body);
        if (status === 429) rejected.count += 1;
      }
    });
    try {
      await until(() => rejected.count > 200);
      for (let round = 0; round < 5; round += 1) {
        const stranger = await signIn(`203.0.113.${round}`, good);
        expect([round, stranger.status]).toEqual([round, 302]);
        const known = await signIn(flooder, good, device);
        expect([round, known.status]).toEqual([round, 302]);
      }
      expect((await signIn(flooder, good)).status).toBe(429);
    } finally {
      over = true;
      await Promise.all(flood);
    }
  }, 120_000);
});

describe("open event streams", () => {
  /** Returns whether a stream opens. An open stream remains open until the signal aborts it. */
  async function open(address: string, signal: AbortSignal): Promise<number> {
    const headers = { "X-Forwarded-For": address };
    return (await fetch(`${site.url}/events`, { headers, signal })).status;
  }

  it("are limited to 50 per IP address, or per /64 for IPv6", async () => {
    const abort = new AbortController();
    for (const ipPrefix of ["192.0.2.77", "2001:db8:1:2:"]) {
      const address = (n: number) => (ipPrefix.includes(":") ? `${ipPrefix}:${n + 1}` : ipPrefix);
      const many = Array.from({ length: 60 }, (_, n) => open(address(n), abort.signal));
      const statuses = await Promise.all(many);
      expect(statuses.filter((status) => status === 200)).toHaveLength(50);
      expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    }
    expect(await open("2001:db8:1:3::1", abort.signal)).toBe(200);
    abort.abort();
  });
});

describe("views", () => {
  it("are counted at most 60 times an hour for each video and IP address, but further requests still succeed", async () => {
    const id = site.addVideo({ title: "A video" });
    const browser = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0" };
    const view = (address: string) =>
      sendRequest(site, "GET", `/video/${id}/view`, { "X-Forwarded-For": address, ...browser });
    for (let n = 0; n < 90; n += 1) expect((await view("192.0.2.50")).status).toBe(200);
    await view("192.0.2.51");
    const shown = () =>
      site.database().prepare("SELECT views FROM videos WHERE id = ?").pluck().get(id);
    await until(() => Number(shown()) >= 61);
    await view("192.0.2.50");
    await view("192.0.2.52");
    await until(() => Number(shown()) >= 62);
    expect(shown()).toBe(62);
  });
});

describe("reports of watched parts", () => {
  const HALF = "1".repeat(10).padEnd(20, "0");
  const browser = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0" };
  const report = (id: string, address: string, body = HALF, headers: Record<string, string> = {}) =>
    sendRequest(
      site,
      "POST",
      `/video/${id}/watched`,
      {
        ...{ Origin: PUBLIC_URL, "Content-Type": "text/plain", "X-Forwarded-For": address },
        ...browser,
        ...headers,
      },
      body,
    );
  const rows = () => site.database().prepare("SELECT * FROM watched_parts").all();

  it("are rejected if invalid, and don't create a row", async () => {
    const id = site.addVideo({ title: "A video" });
    const hidden = site.addVideo({ status: "hidden" });
    const status = async (...sent: Parameters<typeof report>) => (await report(...sent)).status;
    for (const each of [id, hidden, "nobody"]) {
      expect(await status(each, "192.0.2.60", "1".repeat(21))).toBe(400);
      expect(await status(each, "192.0.2.60", "1".repeat(1_000_000))).toBe(413);
      expect(
        await status(each, "192.0.2.60", "1".repeat(100), { "Transfer-Encoding": "chunked" }),
      ).toBe(413);
      expect(await status(each, "192.0.2.60", HALF, { "Content-Type": "application/json" })).toBe(
        415,
      );
      expect(await status(each, "192.0.2.60", HALF, { Origin: "https://evil.example" })).toBe(403);
    }
    const [absent, gone] = [
      await report("nobody", "192.0.2.60"),
      await report(hidden, "192.0.2.60"),
    ];
    expect([absent.status, gone.status, gone.body]).toEqual([404, 404, absent.body]);
    expect(await status("%00%FF..%2F", "192.0.2.60")).toBeGreaterThanOrEqual(400);
    expect((await sendRequest(site, "GET", `/video/${id}/watched`, browser)).status).toBe(405);
    expect(rows()).toEqual([]);
  });

  it("are added up in one row per video, and aren't logged", async () => {
    const id = site.addVideo({ title: "A video" });
    const statuses: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const some = Array.from({ length: 20 }, (_, n) => report(id, `198.51.${round}.${n}`));
      statuses.push(...(await Promise.all(some)).map(({ status }) => status));
    }
    for (let n = 0; n < 70; n += 1) statuses.push((await report(id, "192.0.2.61")).status);
    expect(new Set(statuses)).toEqual(new Set([204]));
    const views = () =>
      site.database().prepare("SELECT views FROM watched_parts WHERE video_id = ?").pluck().get(id);
    await until(() => Number(views()) >= 460);
    expect(rows()).toEqual([
      {
        video_id: id,
        views: 460,
        parts: JSON.stringify([...Array(10).fill(460), ...Array(10).fill(0)]),
      },
    ]);
    await until(() => site.log.includes("POST /contact"));
    expect(site.log).not.toContain("/watched");
  });
});

describe("an unsupported method", () => {
  it.each(["TRACE", "PROPFIND", "LINK"])("is rejected with 405: %s", async (method) => {
    const response = await rawRequest(
      site.url,
      `${method} / HTTP/1.1\r\nHost: site.example\r\nCookie: session=x\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(response)).toBe(405);
    expect(response).toMatch(/^Allow: GET, HEAD, /m);
    expect(response).not.toContain("session=x");
  });

  it("is rejected with 405: CONNECT", async () => {
    const text = "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n";
    expect(statusOf(await rawRequest(site.url, text))).toBe(405);
  });
});

describe("X-Forwarded-Host", () => {
  const plain = new SiteProcess();
  beforeAll(() => plain.start());
  afterAll(() => plain.remove());

  it.each(["/", "/feed.xml", "/sitemap.xml", "/robots.txt"])(
    "isn't trusted in a request for %s",
    async (path) => {
      const headers = ["Host: site.example", "X-Forwarded-Host: evil.example:1234"];
      const response = await rawGet(plain.url, path, headers);
      expect(statusOf(response)).toBe(200);
      expect(response).toContain("http://site.example");
      expect(response).not.toMatch(/evil\.example|:1234/);
    },
  );

  it("can't poison a shared cache, because feeds are marked private if PUBLIC_URL isn't set", async () => {
    for (const path of ["/feed.xml", "/sitemap.xml", "/robots.txt"]) {
      expect(await rawGet(plain.url, path)).toMatch(/^Cache-Control: private, max-age=300\r$/im);
      expect(await rawGet(site.url, path)).toMatch(/^Cache-Control: public, no-cache\r$/im);
    }
  });
});

describe("bytes that aren't a request", () => {
  it.each([
    [400, "no request at all\r\n\r\n"],
    [400, "\x16\x03\x01"],
    [
      413,
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${"a".repeat(20_000)}\r\nb\r\n`,
    ],
    [431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(20_000)}\r\n\r\n`],
  ])(
    "get a %d response without any information about the site, which keeps running",
    async (status, bytes) => {
      const response = await rawRequest(site.url, bytes);
      expect(response).toMatch(
        new RegExp(`^HTTP/1.1 ${status} .*\\r\\nConnection: close\\r\\n\\r\\n$`),
      );
      expect((await fetch(`${site.url}/healthz`)).status).toBe(200);
    },
  );
});
