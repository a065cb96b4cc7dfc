import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../process-figures";
import { SiteProcess } from "../site-process";

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

/** A download that has begun and is not read on. */
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

describe.each(["SIGTERM", "SIGINT"] as const)("at %s the site", (signal) => {
  it("ends with status 0 while a client is connected and idle", async () => {
    const agent = new http.Agent({ keepAlive: true });
    const [response] = (await once(http.get(`${site.url}/healthz`, { agent }), "response")) as [
      http.IncomingMessage,
    ];
    await response.resume().toArray();
    expect(await site.stop(signal)).toBe(0);
    agent.destroy();
  });

  it("lets a running request finish, takes no new one, and ends with status 0", async () => {
    const agent = new http.Agent({ keepAlive: true });
    const response = await pausedDownload(agent);
    const ended = site.stop(signal);
    await until(isRefused);
    let received = 0;
    for await (const chunk of response) received += chunk.length;
    expect(received).toBe(FILE_BYTES);
    expect(await ended).toBe(0);
    agent.destroy();
  });

  it("waits for a client that has stopped reading no longer than a few seconds", async () => {
    const response = await pausedDownload();
    response.on("error", () => {});
    expect(await site.stop(signal)).toBe(0);
    expect(site.log).not.toMatch(/error/i);
  });
});
