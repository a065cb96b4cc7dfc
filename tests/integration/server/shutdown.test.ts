import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { until } from "../../process-figures";
import { MULTIPART, multipartParts, openRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { filesIn, GOOD_TEXTS } from "../../upload-requests";

const FILE_BYTES = 50 * 1024 ** 2;
const URL_PATH = "/media/videos/u/1700000000000.mp4";

let site: SiteProcess;

beforeEach(async () => {
  site = new SiteProcess();
  await site.start();
  site.addFile("videos", "u/1700000000000.mp4", "");
  fs.truncateSync(path.join(site.uploads, "videos/u/1700000000000.mp4"), FILE_BYTES);
  site.addVideo({ video_url: URL_PATH });
});
afterEach(() => site.remove());

/** Starts a download and stops reading it. */
async function pausedDownload(agent?: http.Agent): Promise<http.IncomingMessage> {
  const [response] = (await once(
    http.get(site.url + URL_PATH, { agent: agent ?? false }),
    "response",
  )) as [http.IncomingMessage];
  expect(response.statusCode).toBe(200);
  return response.pause();
}

const isRefused = () =>
  fetch(`${site.url}/healthz`).then(
    () => false,
    () => true,
  );

describe("the site", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "exits with status 0 on %s while a client is connected and idle",
    async (signal) => {
      const agent = new http.Agent({ keepAlive: true });
      const [response] = (await once(http.get(`${site.url}/healthz`, { agent }), "response")) as [
        http.IncomingMessage,
      ];
      await response.resume().toArray();
      expect(await site.stop(signal)).toBe(0);
      agent.destroy();
    },
  );

  it("finishes requests in progress, doesn't accept new ones, and exits with status 0", async () => {
    const agent = new http.Agent({ keepAlive: true });
    const response = await pausedDownload(agent);
    const ended = site.stop();
    await until(isRefused);
    let received = 0;
    for await (const chunk of response) received += chunk.length;
    expect(received).toBe(FILE_BYTES);
    expect(await ended).toBe(0);
    agent.destroy();
  });

  it("waits only a few seconds for a client that has stopped reading", async () => {
    const response = await pausedDownload();
    response.on("error", () => {});
    expect(await site.stop()).toBe(0);
    expect(site.log).not.toMatch(/error/i);
  });
});

describe("a form upload during shutdown", () => {
  const clip = fs.readFileSync(mp4Clip(2));
  const { before, after } = multipartParts(GOOD_TEXTS);

  async function startUpload() {
    const Cookie = await signInTo(site);
    const open = openRequest(site, "POST", "/admin", { ...MULTIPART, Cookie });
    await open.send(before);
    await open.send(clip.subarray(0, 50_000));
    await until(() => filesIn(`${site.uploads}/tmp`).length === 1);
    return open;
  }

  it("is completed and published if it is still making progress", async () => {
    const open = await startUpload();
    const ended = site.stop();
    await until(isRefused);
    open.request.end(Buffer.concat([clip.subarray(50_000), Buffer.from(after)]));
    const { status, headers } = await open.response;
    expect([status, headers.location]).toEqual([302, "/admin"]);
    expect(await ended).toBe(0);
    const titles = site.database().prepare("SELECT title FROM videos").pluck().all();
    expect(titles).toContain(GOOD_TEXTS.title);
  });

  it("gets 503 and leaves no file behind if it has stalled", async () => {
    const open = await startUpload();
    const ended = site.stop();
    const { status, headers, body } = await open.response;
    expect([status, headers.connection]).toEqual([503, "close"]);
    expect(body).toContain("The site is shutting down.");
    expect(body).toContain(GOOD_TEXTS.title);
    expect(await ended).toBe(0);
    expect(filesIn(`${site.uploads}/tmp`)).toEqual([]);
  });
});
