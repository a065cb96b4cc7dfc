import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SiteProcess } from "../site-process";
import { checkVideo, sendVideos } from "./videos/videos";

const VIDEOS = 5;

it("accepts damaged videos only if they can be played", async () => {
  // Only a long run checks how long another client has to wait, because other tests may be using the CPU during a short
  // run.
  const maxWaitMs = Number.POSITIVE_INFINITY;
  expect(await sendVideos("npm test", VIDEOS, undefined, maxWaitMs)).toEqual([]);
}, 180_000);

describe("checkVideo", () => {
  let site: SiteProcess;
  beforeEach(async () => {
    site = new SiteProcess();
    await site.start();
  });
  afterEach(() => site.remove());

  it("reports files and streams that can't be played, and pages with an unexpected status", async () => {
    const video_url = site.addFile("videos", "u/1795000000001.mp4", "no video");
    const hls_url = site.addFile("videos", "u/1795000000001/master-a.m3u8", "#EXTM3U\n");
    const id = site.addVideo({ title: "A video", video_url, hls_url });
    const row = { id, title: "A video", status: "published", video_url, hls_url };
    expect(await checkVideo(site, row, undefined)).toEqual([
      `A video: ${video_url} returns 200, but isn't playable`,
      "A video: its stream isn't playable",
    ]);
    const gone = { ...row, id: "gone" };
    expect(await checkVideo(site, gone, undefined)).toEqual(["A video: its page returns 404"]);
    expect(await checkVideo(site, { ...row, status: "hidden" }, undefined)).toEqual([
      "A video: its page returns 200",
    ]);
  });
});
