import type { Locator, Page } from "playwright/test";
import { expect, expectNoViolations, test } from "../site";
import { publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

const mini = (page: Page) => page.getByRole("region", { name: "Mini player" });
const time = (video: Locator) => video.evaluate((video: HTMLVideoElement) => video.currentTime);
const views = (page: Page) => page.getByText(/\d views?$/).first();

/** Plays the video muted from a position, and waits until playback advances. */
async function playFrom(player: PlayerPage, seconds: number): Promise<void> {
  await player.video.evaluate((video: HTMLVideoElement, seconds) => {
    video.muted = true;
    video.currentTime = seconds;
    return video.play();
  }, seconds);
  await player.expectPlaying();
}

test("a playing video continues in the corner of the next page, and then on its own page again", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  const id = publishAdaptive(site);
  site.database().prepare("UPDATE videos SET title = 'First video' WHERE id = ?").run(id);
  await player.open(id);
  await expect(views(page)).toHaveText("1 view");
  await playFrom(player, 12);
  await page.getByRole("link", { name: "Back", exact: true }).press("Enter");
  const video = mini(page).locator("video");
  await expect.poll(() => time(video)).toBeGreaterThan(12);
  await mini(page).getByRole("button", { name: "Pause" }).click();
  await expect(mini(page).getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await expectNoViolations(page);

  await test.step("the mini player fits on a phone's screen", async () => {
    const { width, height } = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    const box = (await mini(page).boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(320);
    expect(box.y + box.height).toBeLessThanOrEqual(640);
    await page.setViewportSize({ width, height });
  });
  await page.getByRole("link", { name: "Privacy" }).press("Enter");
  await expect(page).toHaveURL("/privacy");
  await expect(video).toBeVisible();
  const left = await time(video);

  await mini(page).getByRole("link", { name: "Return to First video" }).press("Enter");
  await expect(page).toHaveURL(new RegExp(`/video/${id}`));
  await expect(mini(page)).toHaveCount(0);
  await player.ready();
  await expect.poll(async () => (await player.state()).time).toBeCloseTo(left, 0);
  await expect(views(page)).toHaveText("1 view");
  await expect
    .poll(() => site.database().prepare("SELECT views FROM videos WHERE id = ?").pluck().get(id))
    .toBe(1);
});
