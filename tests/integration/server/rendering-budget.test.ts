import http from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addToken } from "../../api-token";
import { until } from "../../process-figures";
import { ADMIN, SiteProcess } from "../../site-process";

/** Three of this machine's addresses: a trusted one, such as a proxy's, and two untrusted ones. */
const PROXY = "127.0.0.1";
const GREEDY = "127.0.0.2";
const VISITOR = "127.0.0.3";
const PUBLIC_URL = "https://videos.example";

const site = new SiteProcess({ TRUSTED_PROXIES: PROXY, PUBLIC_URL });
let file: string;
beforeAll(async () => {
  await site.start();
  for (let index = 0; index < 30; index++) site.addVideo({ title: `Video ${index}` });
  file = site.addFile("videos", "u/1700000000000.mp4", "bytes");
  site.addVideo({ title: "With a file", video_url: file });
});
afterAll(() => site.remove());

interface Result {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

function sendRequest(
  path: string,
  localAddress: string,
  headers: http.OutgoingHttpHeaders = {},
  form?: string,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      site.url + path,
      { agent: false, localAddress, headers, method: form === undefined ? "GET" : "POST" },
      async (response) => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: await text(response).catch(String) });
      },
    );
    request.on("error", reject).end(form);
  });
}

let pages = 0;
/** Requests an uncached page. */
const uncached = () => `/?search=Video&n=${++pages}`;

/** Requests pages until one is rejected, and returns that response. */
async function useUp(localAddress: string, headers: http.OutgoingHttpHeaders = {}) {
  let rejected: Result | undefined;
  await until(async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => sendRequest(uncached(), localAddress, headers)),
    );
    rejected = responses.find(({ status }) => status === 429);
    return rejected !== undefined;
  });
  return rejected!;
}

describe("a network that has used up its rendering time", () => {
  it("gets 429 with the number of seconds to wait, and can load pages again after that time", async () => {
    const { headers, body } = await useUp(GREEDY);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect(headers["content-type"]).toContain("text/plain");
    expect(body).toContain("Wait a few seconds");
    await until(async () => (await sendRequest(uncached(), GREEDY)).status === 200);
  }, 60_000);

  it("can still load cached pages and files, and another network can still load all pages", async () => {
    expect((await sendRequest("/", VISITOR)).status).toBe(200);
    await useUp(GREEDY);
    for (const path of ["/", file, "/healthz", `/assets/${await asset()}`]) {
      expect((await sendRequest(path, GREEDY)).status, path).toBe(200);
    }
    expect((await sendRequest(uncached(), VISITOR)).status).toBe(200);
  }, 60_000);

  it("can still send requests with a valid session or API token", async () => {
    const form = new URLSearchParams(ADMIN).toString();
    const signIn = await sendRequest(
      "/auth",
      VISITOR,
      { Origin: PUBLIC_URL, "Content-Type": "application/x-www-form-urlencoded" },
      form,
    );
    const Cookie = signIn.headers["set-cookie"]!.map((each) => each.split(";")[0]).join("; ");
    const Authorization = `Bearer ${addToken(site)}`;
    await useUp(GREEDY);
    expect((await sendRequest("/admin", GREEDY, { Cookie })).status).toBe(200);
    expect((await sendRequest("/api/v1/videos", GREEDY, { Authorization })).status).toBe(200);
    for (const wrong of [{ Cookie: "session=x.y" }, { Authorization: "Bearer wrong" }]) {
      // Together, these requests take more than a network's full budget.
      const many = Array.from({ length: 190 }, () => sendRequest("/api/v1/videos", GREEDY, wrong));
      expect((await Promise.all(many)).map(({ status }) => status)).toContain(429);
    }
  }, 60_000);

  it("is identified by the client's address behind a proxy, and isn't limited if the proxy doesn't send the address", async () => {
    const client = { "X-Forwarded-For": "203.0.113.7" };
    await useUp(PROXY, client);
    expect(
      (await sendRequest(uncached(), PROXY, { "X-Forwarded-For": "203.0.113.8" })).status,
    ).toBe(200);
    const many = await Promise.all(
      Array.from({ length: 190 }, () => sendRequest(uncached(), PROXY)),
    );
    const more = await Promise.all(
      Array.from({ length: 190 }, () => sendRequest(uncached(), PROXY)),
    );
    expect(new Set([...many, ...more].map(({ status }) => status))).toEqual(new Set([200]));
  }, 60_000);
});

/** Returns the name of a file from the build. */
async function asset(): Promise<string> {
  const { body } = await sendRequest("/", VISITOR);
  return /\/assets\/([^"]+\.js)/.exec(body)![1]!;
}
