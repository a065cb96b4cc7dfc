import type { Locator, Page } from "playwright/test";
import { publishVideo } from "../../publish-video";
import { expect, expectNoViolations, test } from "../site";
import { publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

const mini = (page: Page) => page.getByRole("region", { name: "Mini player" });
const time = (video: Locator) => video.evaluate((video: HTMLVideoElement) => video.currentTime);
const views = (page: Page) => page.getByText(/\d views?$/).first();

/** Plays from some seconds on, over and over, so that it plays for as long as the test needs. */
async function playFrom(player: PlayerPage, seconds: number): Promise<void> {
  await player.video.evaluate((video: HTMLVideoElement, seconds) => {
    video.muted = true;
    video.currentTime = seconds;
    return video.play();
  }, seconds);
  await player.expectPlaying();
}

test("a video that plays goes on in the corner, and back on its page @phone", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  const id = publishVideo(site, { title: "First film" });
  await player.open(id);
  await expect(views(page)).toHaveText("1 view");
  await playFrom(player, 12);
  await page.getByRole("link", { name: "Back", exact: true }).press("Enter");
  const video = mini(page).locator("video");
  await expect.poll(() => time(video)).toBeGreaterThan(12);
  await mini(page).getByRole("button", { name: "Pause" }).click();
  await expect(mini(page).getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await expectNoViolations(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
  await page.getByRole("link", { name: "Privacy" }).press("Enter");
  await expect(page).toHaveURL("/privacy");
  await expect(video).toBeVisible();
  const left = await time(video);

  await mini(page).getByRole("link", { name: "Back to First film" }).press("Enter");
  await expect(page).toHaveURL(new RegExp(`/video/${id}`));
  await expect(mini(page)).toHaveCount(0);
  await player.ready();
  await expect.poll(async () => (await player.state()).time).toBeCloseTo(left, 0);
  await expect(views(page)).toHaveText("1 view");
  await expect
    .poll(() => site.database().prepare("SELECT views FROM videos WHERE id = ?").pluck().get(id))
    .toBe(1);
});

test("it is closed by its button, by Escape, by another video and by a page load", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  const other = publishVideo(site, { title: "Other film" });
  const id = publishAdaptive(site);
  const leave = async () => {
    await player.open(id);
    await playFrom(player, 12);
    await page.getByRole("link", { name: "Back", exact: true }).press("Enter");
    await expect(mini(page).locator("video")).toBeVisible();
  };
  await leave();
  await mini(page).getByRole("button", { name: "Close the mini player" }).click();
  await expect(mini(page)).toHaveCount(0);
  await expect(page.locator("#main")).toBeFocused();
  expect(await page.evaluate(() => localStorage.getItem("player:resume"))).toContain(id);
  await leave();
  await mini(page).getByRole("link").focus();
  await page.keyboard.press("Escape");
  await expect(mini(page)).toHaveCount(0);
  await leave();
  await page.locator(`#video-${other} a`).press("Enter");
  await player.ready();
  await expect(mini(page)).toHaveCount(0);
  await leave();
  await page.reload();
  await expect(page.locator("main article").first()).toBeVisible();
  await expect(mini(page)).toHaveCount(0);
});

test("it doesn't play beside another video that has no file", async ({ page, site }) => {
  const player = new PlayerPage(page);
  const other = publishVideo(site, { title: "Other film", video_url: "", thumbnail_url: null });
  const id = publishVideo(site, { title: "First film" });
  await player.open(id);
  await playFrom(player, 12);
  await page
    .getByRole("link", { name: /Other film/ })
    .last()
    .press("Enter");
  await expect(page.getByText("Video not available")).toBeVisible();
  await expect(page.locator(".player-poster")).toHaveAttribute("src", /placeholder.*\.svg$/);
  await expect(page.locator("video")).toHaveCount(0);
  await page.getByRole("link", { name: "Back", exact: true }).press("Enter");
  await expect(page.locator("main article").first()).toBeVisible();
  await expect(mini(page)).toHaveCount(0);

  // The same from the mini player on a list.
  await player.open(id);
  await playFrom(player, 12);
  await page.getByRole("link", { name: "Back", exact: true }).press("Enter");
  await expect(mini(page).locator("video")).toBeVisible();
  await page.locator(`#video-${other} a`).press("Enter");
  await expect(page.getByText("Video not available")).toBeVisible();
  await expect(page.locator("video")).toHaveCount(0);
});

test("a paused video, one switched off and a browser that saves data end with their page", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  const id = publishVideo(site);
  const leave = async () => {
    await page.getByRole("link", { name: "Back", exact: true }).press("Enter");
    await expect(page.locator("main article").first()).toBeVisible();
  };
  await player.open(id);
  await leave();
  await expect(mini(page)).toHaveCount(0);

  await player.open(id);
  await player.button("Settings").click();
  const item = page.getByRole("menuitemcheckbox", { name: "Mini player" });
  await expect(item).toHaveAttribute("aria-checked", "true");
  await item.click();
  await expect(item).toHaveAttribute("aria-checked", "false");
  await page.keyboard.press("Escape");
  await playFrom(player, 12);
  await leave();
  await expect(mini(page)).toHaveCount(0);

  await page.goto("/preferences");
  await expect(page.getByRole("checkbox", { name: "Mini player" })).not.toBeChecked();

  await page.evaluate(() => localStorage.removeItem("player:mini"));
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
  );
  await player.open(id);
  await playFrom(player, 12);
  await leave();
  await expect(mini(page)).toHaveCount(0);
});

test("a video that is hidden meanwhile stops with its sentence", async ({ page, site }) => {
  const player = new PlayerPage(page);
  const id = publishVideo(site);
  await player.open(id);
  await playFrom(player, 12);
  await page.route("**/media/videos/**", (route) => route.abort());
  await page.getByRole("link", { name: "Back", exact: true }).press("Enter");
  await expect(mini(page)).toBeVisible();
  site.database().prepare("UPDATE videos SET status = 'hidden' WHERE id = ?").run(id);
  await page.unroute("**/media/videos/**");
  await expect(mini(page).getByRole("alert")).toHaveText("The file of this video can't be found.");
});
