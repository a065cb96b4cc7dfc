import { afterAll, beforeAll, describe, expect, it } from "vitest";
import routes from "~/routes";
import { rawGet, rawRequest } from "../../raw-request";
import { sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";

/** Tests that every response from the site carries the RTA label. */

const RTA = "RTA-5042-1996-1400-1577-RTA";
const META = `<meta name="rating" content="${RTA}"/>`;

const site = new SiteProcess({
  AGE_GATE: "on",
  COUNTRY_HEADER: "X-Country",
  COUNTRY_RULES: "IT=closed,FR=check",
  AGE_CHECK_URL: "http://127.0.0.1:9/check",
  AGE_CHECK_SECRET: "a secret that the provider and the site share",
});
let session = "";
beforeAll(async () => {
  await site.start();
  for (const name of ["1.mp4", "1/hls/master.m3u8", "1/hls/0.m4s"]) {
    site.addFile("videos", `u/${name}`, "0123456789");
  }
  for (const name of ["1/preview.mp4", "1/storyboard.vtt", "1/0.jpg", "1/captions.en.vtt"]) {
    site.addFile("videos", `u/${name}`, "0123456789");
  }
  site.addFile("thumbnails", "u/1.jpg", "a picture");
  site.addVideo({
    id: "v",
    tags: '["a"]',
    video_url: "/media/videos/u/1.mp4",
    thumbnail_url: "/media/thumbnails/u/1.jpg",
  });
  session = await signInTo(site);
});
afterAll(() => site.remove());

const paths = (await routes).map(({ path = "" }) => `/${path}`);
/** Existing URLs for routes with parameters. */
const REAL: Record<string, string> = {
  "/categories/:category?": "/categories/desi",
  "/tags/:tag": "/tags/a",
  "/tags/:tag/feed.xml": "/tags/a/feed.xml",
  "/video/:id": "/video/v",
  "/video/:id/stream": "/video/v/stream",
  "/video/:id/view": "/video/v/view",
  "/media/*": "/media/videos/u/1.mp4",
  "/api/v1/*": "/api/v1/openapi.json",
};
const urlsOf = (path: string) => [
  path.replace(/:\w+\??|\*/g, "none"),
  ...(REAL[path] ? [REAL[path]] : []),
];

async function labelOf(method: string, url: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(site.url + url, {
    method,
    redirect: "manual",
    headers,
    signal: leaving.signal,
  });
  const { status } = response;
  const type = response.headers.get("Content-Type") ?? "";
  const isPage = type.startsWith("text/html") && method === "GET";
  const text = isPage ? await response.text() : "";
  leaving.abort();
  const label = response.headers.get("Rating");
  return {
    status,
    label,
    meta: !isPage || text.includes(META) || text.includes(META.replace("/>", ">")),
  };
}

describe("the Restricted To Adults label", () => {
  it("is sent with every response from every route, and is in a meta element on every page", async () => {
    expect(paths.length).toBeGreaterThan(60);
    const without: string[] = [];
    const statuses = new Set<number>();
    const people = [
      {},
      { Cookie: "age=18" },
      { Cookie: session },
      { "X-Country": "IT", Accept: "text/html" },
      { "X-Country": "FR", Accept: "text/html" },
      { "X-Country": "FR" },
    ] as Record<string, string>[];
    for (const url of new Set(paths.flatMap(urlsOf))) {
      // This URL is tested last, because it ends the session that the other requests use.
      if (url === "/sign-out") continue;
      for (const [index, headers] of people.entries()) {
        // Other methods are also tested, on both public and private routes.
        for (const method of index % 2 === 0 && index < 4 ? ["GET", "HEAD", "POST"] : ["GET"]) {
          const { status, label, meta } = await labelOf(method, url, headers);
          statuses.add(status);
          if (label !== RTA || !meta) without.push(`${method} ${url} ${status}`);
        }
      }
    }
    expect(without).toEqual([]);
    for (const status of [200, 302, 401, 403, 404, 405, 451]) expect(statuses).toContain(status);
  }, 120_000);

  it.each([
    "/media/videos/u/1.mp4",
    "/media/videos/u/1/hls/master.m3u8",
    "/media/videos/u/1/hls/0.m4s",
    "/media/videos/u/1/preview.mp4",
    "/media/videos/u/1/storyboard.vtt",
    "/media/videos/u/1/captions.en.vtt",
    "/media/videos/u/1/0.jpg",
    "/media/thumbnails/u/1.jpg",
  ])("is sent with full, partial, not modified and rejected responses for %s", async (file) => {
    const whole = await fetch(site.url + file);
    const etag = whole.headers.get("ETag") ?? "";
    const found: number[] = [];
    const requests: Record<string, string>[] = [
      {},
      { Range: "bytes=0-3" },
      { Range: "bytes=900-" },
      { "If-None-Match": etag },
      { "If-Match": '"another"' },
      { "X-Country": "IT" },
      { "X-Country": "FR" },
    ];
    for (const headers of requests) {
      const { status, label } = await labelOf("GET", file, headers);
      expect(label, `${file} ${status}`).toBe(RTA);
      found.push(status);
    }
    expect(found).toEqual([200, 206, 416, 304, 412, 451, 403]);
    expect((await labelOf("GET", `${file}.none`)).label).toBe(RTA);
  });

  it("is sent with not modified feeds, with build files, and for URLs without a route", async () => {
    const feed = await fetch(`${site.url}/feed.xml`);
    const known = { "If-None-Match": feed.headers.get("ETag")! };
    expect(await labelOf("GET", "/feed.xml", known)).toMatchObject({ status: 304, label: RTA });
    const page = await (await fetch(`${site.url}/privacy`)).text();
    const asset = /\/assets\/[\w.-]+\.js/.exec(page)![0];
    expect(await labelOf("GET", asset)).toMatchObject({ status: 200, label: RTA });
    expect((await labelOf("GET", "/assets/none.js")).label).toBe(RTA);
    expect((await labelOf("PROPFIND", "/")).label).toBe(RTA);
    expect(await rawGet(site.url, "/%zz")).toContain(`\r\nRating: ${RTA}\r\n`);
    const tunnel = await rawRequest(site.url, "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    expect(tunnel).toContain(`\r\nRating: ${RTA}\r\n`);
    const out = await sendRequest(site, "POST", "/sign-out", { Cookie: session });
    expect([out.status, out.headers.rating]).toEqual([302, RTA]);
  });
});
