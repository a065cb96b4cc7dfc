import type { Page } from "playwright/test";
import { expect, test } from "../site";
import { plays, publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

/** Records requests for the beginning of the smallest rendition's file from now on. */
function watchStarts(page: Page): string[] {
  const starts: string[] = [];
  page.on("request", (request) => {
    const range = request.headers().range ?? "";
    if (request.url().endsWith("/stream_1.m4s") && range.startsWith("bytes=0-")) starts.push(range);
  });
  return starts;
}

test("hovering over a card prefetches the start of its stream, which the video page then plays", async ({
  page,
  site,
}) => {
  const id = publishAdaptive(site);
  await page.goto("/");
  // The page handles pointer events only after hydration.
  await page.waitForLoadState("networkidle");
  const starts = watchStarts(page);
  const card = page.locator(`#video-${id} a`);
  await card.hover();
  await expect.poll(() => starts.length).toBe(1);
  await card.press("Enter");
  const player = new PlayerPage(page);
  await player.ready();
  expect(await plays(player)).toBe("blob:");
  await player.video.evaluate((video: HTMLVideoElement) => {
    video.muted = true;
    return video.play();
  });
  await player.expectPlaying();
  expect(starts).toHaveLength(1);
});

test("a video page immediately requests the stream's header and first segment, but not the file", async ({
  page,
  site,
}) => {
  const id = publishAdaptive(site);
  const starts = watchStarts(page);
  const files: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes(".mp4")) files.push(request.url());
  });
  const player = new PlayerPage(page);
  await player.open(id);
  expect(await plays(player)).toBe("blob:");
  await expect.poll(() => player.bufferedEnd()).toBeGreaterThanOrEqual(8);
  await page.waitForLoadState("networkidle");
  expect(await player.bufferedEnd()).toBeLessThan(14);
  await page.keyboard.press("k");
  await expect.poll(() => player.bufferedEnd()).toBeGreaterThan(20);
  expect(starts).toHaveLength(1);
  expect(files).toEqual([]);
});
