import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SiteProcess } from "../site-process";
import { answers, sendVideos } from "./videos/videos";

const VIDEOS = 5;

it("sends damaged videos, and what the site makes of them can be played", async () => {
  // Others take the processors: how long somebody else waits is the matter of the long form.
  const waits = Number.POSITIVE_INFINITY;
  expect(await sendVideos("npm test", VIDEOS, undefined, waits)).toEqual([]);
}, 180_000);

describe("what is looked at", () => {
  let site: SiteProcess;
  beforeEach(async () => {
    site = new SiteProcess();
    await site.start();
  });
  afterEach(() => site.remove());

  it("is a fault where a file or a stream is none, and where a page is missing", async () => {
    const video_url = site.addFile("videos", "u/1795000000001.mp4", "no video");
    const hls_url = site.addFile("videos", "u/1795000000001/master-a.m3u8", "#EXTM3U\n");
    const id = site.addVideo({ title: "A video", video_url, hls_url });
    const row = { id, title: "A video", status: "published", video_url, hls_url };
    expect(await answers(site, row, undefined)).toEqual([
      `A video: ${video_url} answers 200, and no video`,
      "A video: its stream is none",
    ]);
    const gone = { ...row, id: "gone" };
    expect(await answers(site, gone, undefined)).toEqual(["A video: its page answers 404"]);
    expect(await answers(site, { ...row, status: "hidden" }, undefined)).toEqual([
      "A video: its page answers 200",
    ]);
  });
});
