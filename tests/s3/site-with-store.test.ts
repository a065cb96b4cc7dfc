import { once } from "node:events";
import http from "node:http";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command } from "../command";
import { SiteProcess } from "../site-process";
import { hasS3Server, type S3Server, startS3Server } from "./object-stores";
import { addStoredVideo, isStored, VIDEO_NAME } from "./stored-video";

const VIDEO = Buffer.from(Array.from({ length: 9_000_000 }, (_, index) => index % 251));

// `npm test` installs a server, or reports which tests were skipped if it can't.
describe.runIf(hasS3Server)("a site whose videos are in an S3-compatible store", () => {
  let server: S3Server;
  let site: SiteProcess;
  let url: string;
  let part: string;

  beforeAll(async () => {
    server = await startS3Server();
    site = new SiteProcess({ ...server.environment });
    await site.start();
    ({ url, part } = await addStoredVideo(site, VIDEO));
  });
  afterAll(async () => {
    await site?.remove();
    await server?.stop();
  });

  const setStatus = (status: string) =>
    site.database().prepare("UPDATE videos SET status = ? WHERE id = 'v'").run(status);
  const request = (address: string, headers: Record<string, string> = {}) =>
    fetch(site.url + address, { headers, redirect: "manual" });

  it("moves its videos automatically, and proxies all bytes", async () => {
    const whole = await request(url);
    expect(whole.status).toBe(200);
    expect(Buffer.from(await whole.arrayBuffer()).equals(VIDEO)).toBe(true);
    const range = await request(url, { Range: "bytes=8999990-" });
    expect([range.status, range.headers.get("Content-Range")]).toEqual([
      206,
      "bytes 8999990-8999999/9000000",
    ]);
    expect(Buffer.from(await range.arrayBuffer())).toEqual(VIDEO.subarray(-10));
    expect((await request(url, { Range: "bytes=9000000-" })).status).toBe(416);
  });

  it("still responds after a client has disconnected in the middle of a response", async () => {
    const aborted = http.get(site.url + url);
    const [response] = (await once(aborted, "response")) as [http.IncomingMessage];
    await once(response, "data");
    response.destroy();
    expect(Buffer.from(await (await request(part)).arrayBuffer()).equals(VIDEO)).toBe(true);
  });

  it("hides stored files together with their video", async () => {
    setStatus("hidden");
    for (const address of [url, part]) expect((await request(address)).status).toBe(404);
    setStatus("published");
    const again = await request(url, { Range: "bytes=0-0" });
    expect(again.status).toBe(206);
    await again.arrayBuffer();
  });

  it("responds with 503 while the store is unavailable, and recovers", async () => {
    if (!server.child) return expect(process.env.S3_TEST_URL).toBeDefined();
    server.child.kill("SIGSTOP");
    const response = await request(part, { Range: "bytes=0-9" });
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect((await fetch(`${site.url}/`)).status).toBe(200);
    server.child.kill("SIGCONT");
    const back = await request(part, { Range: "bytes=0-9" });
    expect(Buffer.from(await back.arrayBuffer())).toEqual(VIDEO.subarray(0, 10));
  }, 120_000);

  it("redirects visitors to the store for parts of streams, unless the video is hidden", async () => {
    await site.stop();
    await site.start({ STORAGE_DELIVERY: "redirect" });
    const response = await request(part, { Range: "bytes=100-109" });
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([
      302,
      "private, no-store, no-transform",
    ]);
    const address = new URL(response.headers.get("Location")!);
    expect(address.searchParams.get("X-Amz-Expires")).toBe("60");
    const bytes = await fetch(address, { headers: { Range: "bytes=100-109" } });
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(VIDEO.subarray(100, 110));
    // Players request many ranges of the same file, so the URL is reused.
    const next = await request(part, { Range: "bytes=110-119" });
    expect(next.headers.get("Location")).toBe(address.href);
    const page = await fetch(`${site.url}/`);
    expect(page.headers.get("Content-Security-Policy")).toContain(
      `connect-src 'self' ${address.origin}`,
    );
    const whole = await request(url, { Range: "bytes=0-9" });
    expect(whole.status).toBe(206);
    await whole.arrayBuffer();
    setStatus("hidden");
    expect((await request(part)).status).toBe(404);
    setStatus("published");
  });

  it("doesn't start with wrong keys or an unavailable store, and reports the reason", async () => {
    await site.stop();
    const secret = server.environment.AWS_SECRET_ACCESS_KEY;
    await expect(site.start({ AWS_SECRET_ACCESS_KEY: "wrong" })).rejects.toThrow(
      /AWS_SECRET_ACCESS_KEY: The file store rejected the access keys/,
    );
    const settings = { AWS_SECRET_ACCESS_KEY: secret, STORAGE_DELIVERY: "proxy" };
    await expect(site.start({ ...settings, STORAGE_URL: "" })).rejects.toThrow(
      /STORAGE_URL must be set, because this site has files in a file store/,
    );
    await site.start({ STORAGE_URL: server.environment.STORAGE_URL });
    expect((await request(url, { Range: "bytes=0-0" })).status).toBe(206);
  });

  it("moves all files back to the disk while the site is running, without failed requests", async () => {
    const moving = execa(process.execPath, command("move-storage", "--to", "disk"), {
      env: {
        ...server.environment,
        NODE_ENV: "production",
        DATABASE_PATH: site.databasePath,
        UPLOADS_DIR: site.uploads,
      },
    });
    let isMoving = true;
    const finished = moving.finally(() => {
      isMoving = false;
    });
    while (isMoving) {
      const meanwhile = await request(url, { Range: "bytes=4000000-4000009" });
      expect(Buffer.from(await meanwhile.arrayBuffer())).toEqual(VIDEO.subarray(4e6, 4e6 + 10));
    }
    expect((await finished).stdout).toContain("Moved back 2 files");
    expect(isStored(site, VIDEO_NAME)).toBe(false);
    expect(Buffer.from(await (await request(url)).arrayBuffer()).equals(VIDEO)).toBe(true);
    await site.stop();
    await site.start({ STORAGE_URL: "", AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" });
    expect(Buffer.from(await (await request(url)).arrayBuffer()).equals(VIDEO)).toBe(true);
  });
});
