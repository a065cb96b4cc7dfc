import { devices, type Page } from "playwright/test";
import { publishVideo } from "../../publish-video";
import { expect, expectNoViolations, test } from "../site";
import { PlayerPage } from "./player-page";

const { defaultBrowserType: _, ...PIXEL } = devices["Pixel 7"];
test.use({ ...PIXEL, viewport: { width: 360, height: 740 } });

/** Rotates the phone within a user gesture, which browsers require for fullscreen. */
function rotate(page: Page, type: "landscape-primary" | "portrait-primary"): Promise<void> {
  return page.evaluate((type) => {
    Object.defineProperty(screen.orientation, "type", { configurable: true, value: type });
    screen.orientation.dispatchEvent(new Event("change"));
  }, type);
}

const isFullscreen = (page: Page) => page.evaluate(() => document.fullscreenElement !== null);

/** Plays in a loop, so that playback lasts as long as the test needs. */
const playOn = (player: PlayerPage) =>
  player.video.evaluate((video: HTMLVideoElement) => {
    video.loop = true;
    return video.play();
  });

test("on a phone in portrait, the player and its Back link stay at the top while the details scroll", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  await page.clock.install();
  await player.open(publishVideo(site, { description: "By the sea.\n".repeat(80) }));
  const box = (await player.root.boundingBox())!;
  expect([box.x, box.y, box.width]).toEqual([0, 0, 360]);
  const header = (await page.getByRole("banner").boundingBox())!;
  expect(header.y).toBeCloseTo(box.height, 0);
  const back = page.getByRole("link", { name: "Back" });
  const over = (await back.boundingBox())!;
  expect(over.y + over.height).toBeLessThan(box.height);
  await expectNoViolations(page);

  await test.step("the Back link is hidden with the controls, and appears when it receives keyboard focus", async () => {
    await player.stopClock();
    await playOn(player);
    await page.clock.runFor(5_100);
    await player.expectControls(false);
    await expect(back).toHaveCSS("pointer-events", "none");
    await page.getByRole("button", { name: "Menu" }).or(page.locator("summary")).first().focus();
    await page.keyboard.press("Tab");
    await expect(back).toBeFocused();
    await expect(back).toHaveCSS("pointer-events", "auto");
    await player.video.evaluate((video: HTMLVideoElement) => video.pause());
    await player.expectControls(true);
  });

  await page.evaluate(() => window.scrollTo(0, 900));
  await expect.poll(async () => (await player.root.boundingBox())!.y).toBe(0);
  // A focused element isn't hidden behind the player.
  await page.getByRole("link", { name: "Desi", exact: true }).first().focus();
  const focused = await page.evaluate(
    () => document.activeElement?.getBoundingClientRect().top ?? 0,
  );
  expect(focused).toBeGreaterThanOrEqual(box.height);
  expect((await player.root.boundingBox())!.y).toBe(0);
  await page.clock.resume();
  await back.click();
  await expect(page).toHaveURL(/#video-/);
});

test("rotating the phone during playback enters and leaves fullscreen, unless the viewer has already used the button", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  await player.open(publishVideo(site));
  const expectFullscreen = (expected: boolean) =>
    expect.poll(() => isFullscreen(page)).toBe(expected);
  await rotate(page, "landscape-primary");
  expect(await isFullscreen(page)).toBe(false);
  await rotate(page, "portrait-primary");
  await playOn(player);
  await rotate(page, "landscape-primary");
  await expectFullscreen(true);
  await rotate(page, "portrait-primary");
  await expectFullscreen(false);

  await test.step("fullscreen that was entered with a button stays on when the phone is rotated", async () => {
    await page.keyboard.press("f");
    await expectFullscreen(true);
    await rotate(page, "portrait-primary");
    await expect(player.button("Exit fullscreen")).toBeAttached();
    expect(await isFullscreen(page)).toBe(true);
    await page.keyboard.press("f");
    await expectFullscreen(false);
  });

  await test.step("fullscreen that was left with a button stays off when the phone is rotated", async () => {
    await rotate(page, "landscape-primary");
    await expectFullscreen(true);
    await page.keyboard.press("f");
    await expectFullscreen(false);
    await rotate(page, "portrait-primary");
    expect(await isFullscreen(page)).toBe(false);
  });
});
