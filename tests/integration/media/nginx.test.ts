import net from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../process-figures";
import { isNginxInstalled, type Nginx, startNginx } from "../../servers/nginx";
import { SiteProcess } from "../../site-process";

const RTA = "RTA-5042-1996-1400-1577-RTA";
const URL_PATH = "/media/videos/u/1700000000000.mp4";

describe.runIf(isNginxInstalled)("a site behind nginx with docs/nginx.conf", () => {
  const site = new SiteProcess({ ACCEL_PREFIX: "/protected" });
  let nginx: Nginx;
  let url: string;

  beforeAll(async () => {
    await site.start();
    site.addFile("videos", "u/1700000000000.mp4", Buffer.from("0123456789".repeat(1_000)));
    site.addVideo({ id: "v", video_url: URL_PATH });
    nginx = await startNginx("nginx.conf", site.folder, [
      // Leave enough time for the test to open 200 connections.
      [/client_body_timeout 15s;/, "client_body_timeout 60s;"],
      [/site:3000;/, `${new URL(site.url).host};`],
      [/\/srv\/afterdark\/uploads/, site.uploads],
    ]);
    url = nginx.url;
  });
  afterAll(async () => {
    nginx?.process.kill();
    await site.remove();
  });

  it("serves files and ranges through nginx, and keeps the prefix internal", async () => {
    const whole = await fetch(url + URL_PATH);
    expect(whole.status).toBe(200);
    expect(whole.headers.get("X-Accel-Redirect")).toBeNull();
    expect(whole.headers.get("Content-Type")).toBe("video/mp4");
    expect(whole.headers.get("Cache-Control")).toContain("max-age=3600");
    expect(whole.headers.get("Content-Security-Policy")).toContain("sandbox");
    expect(whole.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(whole.headers.get("Rating")).toBe(RTA);
    expect(await whole.text()).toBe("0123456789".repeat(1_000));
    const part = await fetch(url + URL_PATH, { headers: { Range: "bytes=10-14" } });
    expect([part.status, await part.text()]).toEqual([206, "01234"]);
    const beyond = await fetch(url + URL_PATH, { headers: { Range: "bytes=90000-" } });
    const etag = whole.headers.get("ETag")!;
    const known = await fetch(url + URL_PATH, { headers: { "If-None-Match": etag } });
    expect([beyond.status, known.status]).toEqual([416, 304]);
    for (const response of [part, beyond, known]) {
      expect(response.headers.get("Rating"), String(response.status)).toBe(RTA);
    }
  });

  it("returns 404 for hidden videos and for the internal location", async () => {
    site.database().exec("UPDATE videos SET status = 'hidden'");
    expect((await fetch(url + URL_PATH)).status).toBe(404);
    expect((await fetch(`${url}/protected/videos/u/1700000000000.mp4`)).status).toBe(404);
  });

  it("limits each client to 200 open requests, including incomplete forms", async () => {
    const { hostname, port } = new URL(url);
    const health = async () => {
      const response = await fetch(`${url}/healthz`);
      await response.text();
      return response.status;
    };
    const slow =
      "POST /contact HTTP/1.1\r\nHost: videos.example\r\nContent-Length: 9000\r\n\r\nname=";
    // Open a few more than 200, because a connection that arrives during a health check is rejected.
    const sockets = Array.from({ length: 230 }, () => net.connect(Number(port), hostname));
    for (const socket of sockets) socket.on("error", () => {}).write(slow);
    await until(async () => (await health()) === 429);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await health()) === 200);
  });

  it("returns 429 to clients that exceed the rate limit for pages, but still serves files to them", async () => {
    site.database().exec("UPDATE videos SET status = 'published'");
    let rejected: Response | undefined;
    await until(async () => {
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => fetch(`${url}/robots.txt`)),
      );
      await Promise.all(responses.map((response) => response.arrayBuffer()));
      rejected = responses.find(({ status }) => status === 429);
      return rejected !== undefined;
    });
    expect(rejected!.headers.get("Server")).toContain("nginx");
    for (let count = 0; count < 20; count++) {
      const file = await fetch(url + URL_PATH);
      expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, 10_000]);
    }
    await until(async () => (await fetch(`${url}/robots.txt`)).status === 200);
  });

  it("limits the size of forms, but not uploads", async () => {
    const send = async (path: string) => {
      const body = Buffer.alloc(300_000, "x");
      return (await fetch(url + path, { method: "POST", body, redirect: "manual" })).status;
    };
    expect(await send("/contact")).toBe(413);
    expect(await send("/admin")).not.toBe(413);
    expect(await send("/api/v1/videos")).not.toBe(413);
  });

  it("redirects HTTP requests to the same URL with HTTPS", async () => {
    const response = await fetch(`http://127.0.0.1:${nginx.redirectPort}/video/v?t=90`, {
      redirect: "manual",
    });
    expect([response.status, response.headers.get("Rating")]).toEqual([301, RTA]);
    expect(response.headers.get("Location")).toBe("https://127.0.0.1/video/v?t=90");
  });
});
