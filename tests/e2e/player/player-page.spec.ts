import { publishVideo } from "../../publish-video";
import { holdRequests } from "../hold-requests";
import { expect, expectNoViolations, test } from "../site";
import { PlayerPage } from "./player-page";

test("hydration doesn't restart playback in the browser's own player", async ({ page, site }) => {
  const player = new PlayerPage(page);
  const id = publishVideo(site);
  const release = await holdRequests(page, /\.js(\?|$)/);
  await page.goto(`/video/${id}`, { waitUntil: "commit" });
  await expect(player.video).toHaveAttribute("controls");
  // Simulates a click on the browser's own controls. The video is muted, because there is no user gesture.
  await player.video.evaluate(async (video: HTMLVideoElement) => {
    Object.assign(video, { theSame: true, muted: true });
    await video.play();
  });
  await player.expectPlaying();
  const { time } = await player.state();
  await player.record("emptied", "loadstart", "pause", "seeking", "ratechange", "abort");
  await release();
  await player.ready();
  await expect(player.video).not.toHaveAttribute("controls");
  await player.expectPlaying();
  expect(await player.events()).toEqual([]);
  expect((await player.state()).time).toBeGreaterThan(time);
  expect(await player.video.evaluate((video) => "theSame" in video)).toBe(true);
  await expect(player.button("Pause")).toBeVisible();
});

test("opening another video scrolls to the top, resets everything except the volume, and cancels the previous download", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  const first = publishVideo(site, { title: "A quiet evening" });
  publishVideo(site, { title: "A quiet morning" });
  await player.open(first);
  await page.keyboard.press("k");
  await player.expectPlaying();
  await page.keyboard.press(">");
  await page.keyboard.press("ArrowRight");
  await player.expectState({ speed: 1.25 });
  await player.root.getByRole("slider", { name: "Volume" }).fill("0.4");
  // The next page loads slowly, so a skeleton is shown instead of the player in the meantime.
  const release = await holdRequests(page, /\/video\/.*\.data/);
  const link = page.getByRole("link", { name: /A quiet morning/ }).last();
  await link.scrollIntoViewIfNeeded();
  await link.click();
  await expect(page.getByText("Loading video...")).toBeAttached();
  await release();
  await expect(page.getByRole("heading", { name: "A quiet morning" })).toBeVisible();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await player.ready();
  await player.expectState({ time: 0, speed: 1, paused: true, volume: 0.4, filter: "" });
  await expect(player.root.locator(".player-title")).toHaveText("A quiet morning");
  await page.getByRole("link", { name: "Home", exact: true }).first().click();
  await expect(page.locator("video")).toHaveCount(0);
});

test("the next video opens 8 s after the current video ends, and plays in the same player", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  await page.clock.install();
  const first = publishVideo(site, { title: "A quiet evening" });
  publishVideo(site, { title: "A quiet morning" });
  await player.open(first);
  await page.keyboard.press("k");
  await player.expectPlaying();
  await player.seekTo(39.5);
  const card = page.getByRole("region", { name: "Next video" });
  await expect(card).toContainText("A quiet morning");
  await player.stopClock();
  await page.clock.runFor(6_000);
  await expect(card).toBeVisible();
  await expect(page).toHaveURL(new RegExp(first));
  await page.clock.runFor(3_000);
  await expect(page.getByRole("heading", { name: "A quiet morning" })).toBeVisible();
  await player.expectPlaying();
  await expect(card).toBeHidden();
});

test("the page has no layout or accessibility errors in theater mode, with the menu open or at any width", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  await player.open(publishVideo(site));

  await test.step("theater mode makes the player as wide as the page, and can be turned off", async () => {
    const width = async () => (await player.root.boundingBox())!.width;
    const before = await width();
    await player.button("Theater mode").click();
    await expect.poll(width).toBeGreaterThan(before + 200);
    await player.button("Theater mode").click();
    await expect.poll(width).toBe(before);

    // On a phone in landscape, theater mode doesn't reduce the height.
    await page.setViewportSize({ width: 740, height: 360 });
    const height = () => player.root.evaluate((root) => root.getBoundingClientRect().height);
    const usual = await height();
    await player.root.press("t");
    await expect(player.root).toHaveAttribute("data-theater");
    expect(await height()).toBeGreaterThanOrEqual(usual);
    await player.root.press("t");
  });

  await page.setViewportSize({ width: 1440, height: 900 });
  await player.button("Settings").click();
  await expectNoViolations(page);
  await page.keyboard.press("Escape");

  for (const [name, width] of [
    ["a desktop", 1440],
    ["a tablet", 820],
    ["a phone", 320],
  ] as const) {
    await test.step(`on ${name}`, async () => {
      await page.setViewportSize({ width, height: 800 });
      const larger = width >= 820;
      await expect(player.button("Back 10 seconds")).toBeVisible({ visible: larger });
      await expect(player.root.getByRole("slider", { name: "Volume" })).toBeVisible({
        visible: larger,
      });
      const sides = await player.root
        .locator(".player-buttons button:visible")
        .evaluateAll((buttons) =>
          buttons.flatMap((button) => {
            const { width, height } = button.getBoundingClientRect();
            return [width, height];
          }),
        );
      expect(Math.min(...sides)).toBeGreaterThanOrEqual(44);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    });
  }

  await expectNoViolations(page);
  await player.button("Settings").click();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});
