import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright/test";
import { type Clip, makeClip, rotate } from "../../media-clips";
import type { SiteProcess } from "../../site-process";
import { runJobs } from "../run-jobs";
import { expect, test } from "../site";

export const X264 = ["libx264", "-preset", "ultrafast"];
const FIRST_UPLOAD_ID = 1_700_000_000_000;
const SECONDS = 4;

/** A clip to encode, with the expected aspect ratio and rotation in degrees. */
export type Input = [name: string, clip: Clip, aspectRatio: number, degrees?: number];

/** Adds a file to the library as a source that browsers can't play yet. */
export function addSource(site: SiteProcess, clip: string, index: number): string {
  const name = `u/${FIRST_UPLOAD_ID + index}${path.extname(clip)}`;
  const source_url = site.addFile("videos", name, fs.readFileSync(clip));
  return site.addVideo({ title: path.basename(clip), source_url, duration: "0:04" });
}

/** Plays the video on the page, and returns what it measured. */
async function playVideo(page: Page) {
  const video = page.locator("video");
  await expect(video).toBeVisible();
  return video.evaluate(async (element: HTMLVideoElement) => {
    element.muted = true;
    await element.play();
    const until = async (condition: () => boolean) => {
      const end = Date.now() + 20_000;
      while (!condition() && Date.now() < end) await new Promise((next) => setTimeout(next, 50));
    };
    await until(() => element.currentTime > 0.5);
    const played = element.currentTime;
    element.currentTime = 2.5;
    await until(() => element.currentTime > 2.7 && !element.seeking);
    const withCounters = element as unknown as { webkitAudioDecodedByteCount: number };
    const quality = element.getVideoPlaybackQuality();
    return {
      played,
      seekedTo: element.currentTime,
      audioBytes: withCounters.webkitAudioDecodedByteCount,
      frames: quality.totalVideoFrames,
      aspectRatio: element.videoWidth / element.videoHeight,
      duration: element.duration,
      start: element.buffered.length > 0 ? element.buffered.start(0) : -1,
      streamed: element.currentSrc.startsWith("blob:"),
    };
  });
}

/** Encodes each input and plays the result in the browser. */
export async function expectPlays(
  page: Page,
  site: SiteProcess,
  folder: string,
  inputs: readonly Input[],
): Promise<void> {
  const ids = inputs.map(([, clip, , degrees], index) => {
    const clipFile = makeClip(folder, `input-${index}`, { seconds: SECONDS, ...clip });
    return addSource(site, degrees ? rotate(clipFile, degrees) : clipFile, index);
  });
  expect(await runJobs(site, ["transcode", "ladder"])).toContain("The queue is empty.");
  for (const [index, [name, , aspectRatio]] of inputs.entries()) {
    await test.step(name, async () => {
      await page.goto(`/video/${ids[index]}`);
      const result = await playVideo(page);
      expect(result.played).toBeGreaterThan(0.5);
      expect(result.seekedTo).toBeGreaterThan(2.5);
      expect(result.frames).toBeGreaterThan(5);
      expect(result.audioBytes).toBeGreaterThan(0);
      expect(Math.abs(result.duration - SECONDS)).toBeLessThan(0.5);
      expect(Math.abs(result.aspectRatio / aspectRatio - 1)).toBeLessThan(0.03);
    });
  }
}
