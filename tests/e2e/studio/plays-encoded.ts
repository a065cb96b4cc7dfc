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

/** What comes in, how wide for its height it must be shown, and by how many degrees it is turned. */
export type Input = [name: string, clip: Clip, shape: number, degrees?: number];

/** Puts a file into the library as one that browsers don't play yet. */
export function addSource(site: SiteProcess, clip: string, index: number): string {
  const name = `u/${FIRST_UPLOAD_ID + index}${path.extname(clip)}`;
  const source_url = site.addFile("videos", name, fs.readFileSync(clip));
  return site.addVideo({ title: path.basename(clip), source_url, duration: "0:04" });
}

/** Plays what the page shows, and tells what came of it. */
async function watch(page: Page) {
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
    const counted = element as unknown as { webkitAudioDecodedByteCount: number };
    const quality = element.getVideoPlaybackQuality();
    return {
      played,
      sought: element.currentTime,
      sound: counted.webkitAudioDecodedByteCount,
      pictures: quality.totalVideoFrames,
      shape: element.videoWidth / element.videoHeight,
      duration: element.duration,
      start: element.buffered.length > 0 ? element.buffered.start(0) : -1,
      streamed: element.currentSrc.startsWith("blob:"),
    };
  });
}

/** Encodes each of the inputs, and plays what has come of it in the browser. */
export async function expectPlays(
  page: Page,
  site: SiteProcess,
  folder: string,
  inputs: readonly Input[],
): Promise<void> {
  const ids = inputs.map(([, clip, , degrees], index) => {
    const made = makeClip(folder, `input-${index}`, { seconds: SECONDS, ...clip });
    return addSource(site, degrees ? rotate(made, degrees) : made, index);
  });
  expect(await runJobs(site, ["transcode", "ladder"])).toContain("The queue is empty.");
  for (const [index, [name, , shape]] of inputs.entries()) {
    await test.step(name, async () => {
      await page.goto(`/video/${ids[index]}`);
      const seen = await watch(page);
      expect(seen.played).toBeGreaterThan(0.5);
      expect(seen.sought).toBeGreaterThan(2.5);
      expect(seen.pictures).toBeGreaterThan(5);
      expect(seen.sound).toBeGreaterThan(0);
      expect(Math.abs(seen.duration - SECONDS)).toBeLessThan(0.5);
      expect(Math.abs(seen.shape / shape - 1)).toBeLessThan(0.03);
    });
  }
}
