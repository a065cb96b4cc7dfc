import path from "node:path";
import { addProcessedVideo } from "../../processed-videos";
import { expect, test } from "../site";
import { plays } from "./adaptive-video";
import { PlayerPage } from "./player-page";

test("the quality of an encoded video can be switched during playback without a gap", async ({
  page,
  site,
}) => {
  const id = addProcessedVideo({ sqlite: site.database(), uploads: site.uploads }, "complete");
  const player = new PlayerPage(page);
  await player.open(id);
  await expect.poll(() => plays(player)).toBe("blob:");
  await page.keyboard.press("k");
  await player.expectPlaying();
  await player.playSlowly(0.5);
  await player.record("seeking", "emptied", "pause", "error", "loadstart");

  const height = () => player.video.evaluate((video: HTMLVideoElement) => video.videoHeight);
  const choose = async (quality: string) => {
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: /^Quality/ }).click();
    await page.getByRole("menuitemradio", { name: quality, exact: true }).click();
    await page.keyboard.press("Escape");
  };
  for (const [quality, lines] of [
    ["480p", 480],
    ["240p", 240],
  ] as const) {
    await choose(quality);
    // The new quality starts after the segments that are already loaded. Those play at half speed.
    await expect.poll(height, { timeout: 45_000 }).toBe(lines);
    await player.expectPlaying();
  }
  // The buffered ranges are adjacent, so there is no gap where playback could stall.
  const ahead = await player.video.evaluate((video: HTMLVideoElement) => {
    const { buffered, currentTime } = video;
    const ranges = Array.from({ length: buffered.length }, (_, index) => ({
      from: buffered.start(index),
      to: buffered.end(index),
    }));
    return {
      ranges,
      now: ranges.filter(({ from, to }) => from <= currentTime && currentTime < to),
    };
  });
  expect(ahead.ranges, JSON.stringify(ahead)).toHaveLength(1);
  expect(ahead.now).toHaveLength(1);
  expect(await player.events()).toEqual([]);
  await expect(page.getByRole("button", { name: "Retry" })).toHaveCount(0);
});

test("another audio track plays as soon as it is selected, and the choice is remembered", async ({
  page,
  site,
}) => {
  const id = addProcessedVideo({ sqlite: site.database(), uploads: site.uploads }, "complete");
  const requested = new Set<string>();
  page.on("request", (request) => requested.add(path.basename(new URL(request.url()).pathname)));
  const player = new PlayerPage(page);
  const opened = async () => {
    await player.open(id);
    await expect.poll(() => plays(player)).toBe("blob:");
    await page.keyboard.press("k");
    await player.expectPlaying();
  };
  await opened();
  expect([...requested].filter((name) => name.startsWith("audio-2"))).toEqual([]);
  expect(requested.has("audio-1.mp4")).toBe(true);
  await player.playSlowly(0.5);
  await player.button("Settings").click();
  await page.getByRole("menuitem", { name: /^Audio track/ }).click();
  await expect(page.getByRole("menuitemradio")).toHaveText(["German", "English"]);
  await expect(page.getByRole("menuitemradio", { name: "German" })).toBeChecked();
  await page.getByRole("menuitemradio", { name: "English" }).click();
  await expect.poll(() => [...requested].some((name) => /^audio-2.*mp4$/.test(name))).toBe(true);
  await player.expectPlaying();
  // This position is after everything that was loaded before the track was selected.
  await player.seekTo(25);
  await player.expectPlaying();
  await expect(page.getByRole("button", { name: "Retry" })).toHaveCount(0);

  requested.clear();
  await opened();
  await expect.poll(() => [...requested].some((name) => /^audio-2.*mp4$/.test(name))).toBe(true);
  await player.button("Settings").click();
  await expect(page.getByRole("menuitem", { name: /^Audio track/ })).toContainText("English");
});
