import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cdnAddress } from "~/media/serve/serve-stored.server";
import { addStoredVideo } from "../../s3/stored-video";
import { isNginxInstalled, type Nginx, startNginx } from "../../servers/nginx";
import { SiteProcess } from "../../site-process";

/** The video is larger than two of the slices that nginx caches. */
const VIDEO = Buffer.from(Array.from({ length: 2_500_000 }, (_, index) => index % 251));
const SECRET = "a-secret-for-tests-of-32-characters";
const SITE = "https://videos.example";

// `npm test` installs nginx, or reports what it couldn't test.
describe.runIf(isNginxInstalled)("a site with a CDN in front of its store", () => {
  const site = new SiteProcess({ STORAGE_DELIVERY: "redirect", CDN_SECRET: SECRET });
  const store = path.join(site.folder, "store");
  let origin: http.Server;
  let requests = 0;
  let nginx: Nginx;
  let url: string;
  let part: string;

  beforeAll(async () => {
    fs.mkdirSync(store);
    const folder = path.join(site.folder, "nginx");
    fs.mkdirSync(folder);
    origin = http.createServer((request, response) => {
      requests += 1;
      answerRange(store, request, response);
    });
    await once(origin.listen(0, "127.0.0.1"), "listening");
    nginx = await startNginx("nginx-cdn.conf", folder, [
      [/server s3\.example:443;/, `server 127.0.0.1:${(origin.address() as AddressInfo).port};`],
      [/https:\/\/store/, "http://store"],
      [/ CDN_SECRET"/, ` ${SECRET}"`],
      [/\/var\/cache\/nginx/, folder],
    ]);
    await site.start({ STORAGE_URL: `file://${store}`, CDN_URL: nginx.url });
    ({ url, part } = await addStoredVideo(site, VIDEO));
  });
  afterAll(async () => {
    nginx?.process.kill();
    origin?.close();
    await site.remove();
  });

  const sendRequest = (address: string, headers: Record<string, string> = {}) =>
    fetch(site.url + address, { headers, redirect: "manual" });
  /** Returns the URL to which a visitor is currently redirected. */
  const addressOfPart = async () => new URL((await sendRequest(part)).headers.get("Location")!);

  it("redirects requests for parts of streams to CDN URLs that are valid for a minute", async () => {
    const response = await sendRequest(part, { Range: "bytes=100-109" });
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([
      302,
      "private, no-store, no-transform",
    ]);
    const address = new URL(response.headers.get("Location")!);
    expect(address.origin).toBe(nginx.url);
    const life = Number(address.searchParams.get("expires")) - Date.now() / 1000;
    expect(life).toBeGreaterThan(0);
    expect(life).toBeLessThanOrEqual(60);
    const bytes = await fetch(address, { headers: { Range: "bytes=100-109" } });
    expect(bytes.status).toBe(206);
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(VIDEO.subarray(100, 110));
    expect(bytes.headers.get("Content-Type")).toBe("video/mp4");
    expect(bytes.headers.get("Cache-Control")).toBe("private, no-store, no-transform");
    expect(bytes.headers.get("Access-Control-Allow-Origin")).toBe(SITE);
  });

  it("allows requests from its own pages, including preflight requests", async () => {
    const policy = (await sendRequest("/")).headers.get("Content-Security-Policy");
    expect(policy).toContain(`connect-src 'self' ${nginx.url};`);
    expect(policy).toContain(`media-src 'self' blob: ${nginx.url};`);
    const before = await fetch(await addressOfPart(), {
      method: "OPTIONS",
      headers: { Origin: SITE, "Access-Control-Request-Headers": "range" },
    });
    expect([before.status, before.headers.get("Access-Control-Allow-Headers")]).toEqual([
      204,
      "Range",
    ]);
    const sent = await fetch(await addressOfPart(), { method: "POST", body: "x" });
    expect(sent.status).toBe(405);
  });

  it("requests each slice from the store only once", async () => {
    const whole = async () => Buffer.from(await (await fetch(await addressOfPart())).arrayBuffer());
    expect((await whole()).equals(VIDEO)).toBe(true);
    const before = requests;
    expect((await whole()).equals(VIDEO)).toBe(true);
    expect(requests).toBe(before);
  });

  it("rejects URLs that the site hasn't signed or that have expired", async () => {
    const status = async (address: URL | string) => (await fetch(address)).status;
    const address = await addressOfPart();
    expect(await status(address)).toBe(200);
    const changed = (name: string, value: string) => {
      const other = new URL(address);
      other.searchParams.set(name, value);
      return other;
    };
    expect(await status(changed("md5", "AAAAAAAAAAAAAAAAAAAAAA"))).toBe(403);
    expect(await status(changed("expires", "9999999999"))).toBe(403);
    expect(await status(address.href.replace("hls-1", "hls-2"))).toBe(403);
    expect(await status(address.origin + address.pathname)).toBe(403);
    const cdn = { origin: nginx.url, signing: "nginx", secret: SECRET } as const;
    const past = Math.floor(Date.now() / 1000) - 1;
    expect(await status(cdnAddress(cdn, address.pathname, past))).toBe(410);
    expect(await status(cdnAddress({ ...cdn, secret: "other" }, address.pathname, 9e9))).toBe(403);
  });

  it("proxies complete videos, and stops serving videos and their streams once they are hidden", async () => {
    const video = await sendRequest(url, { Range: "bytes=0-9" });
    expect([video.status, Buffer.from(await video.arrayBuffer())]).toEqual([
      206,
      VIDEO.subarray(0, 10),
    ]);
    site.database().prepare("UPDATE videos SET status = 'hidden' WHERE id = 'v'").run();
    for (const address of [url, part]) expect((await sendRequest(address)).status).toBe(404);
  });
});

/** Responds like a store whose bucket policy allows the request. */
function answerRange(
  folder: string,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): void {
  const bytes = fs.readFileSync(path.join(folder, request.url!.replace(/^\/videos\//, "")));
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  const [start, end] = [Number(from), Math.min(Number(to), bytes.length - 1)];
  response.writeHead(206, {
    "Content-Range": `bytes ${start}-${end}/${bytes.length}`,
    "Content-Type": "video/mp4",
    "Cache-Control": "no-store",
    ETag: '"1"',
  });
  response.end(bytes.subarray(start, end + 1));
}
