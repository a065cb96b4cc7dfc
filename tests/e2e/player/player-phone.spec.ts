import { devices, type Page } from "playwright/test";
import { publishVideo } from "../../publish-video";
import { expect, expectNoViolations, test } from "../site";
import { PlayerPage } from "./player-page";

const { defaultBrowserType: _, ...PIXEL } = devices["Pixel 7"];
test.use({ ...PIXEL, viewport: { width: 360, height: 740 } });

/** As a phone tells it; within the gesture that a browser asks of whoever wants fullscreen. */
function turn(page: Page, type: "landscape-primary" | "portrait-primary"): Promise<void> {
  return page.evaluate((type) => {
    Object.defineProperty(screen.orientation, "type", { configurable: true, value: type });
    screen.orientation.dispatchEvent(new Event("change"));
  }, type);
}

const isFullscreen = (page: Page) => page.evaluate(() => document.fullscreenElement !== null);

test.describe("the picture of a phone held upright", () => {
  test("is at the very top with Back over it, and stays while the details scroll", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site, { description: "By the sea.\n".repeat(80) }));
    const box = (await player.root.boundingBox())!;
    expect([box.x, box.y, box.width]).toEqual([0, 0, 360]);
    const header = (await page.getByRole("banner").boundingBox())!;
    expect(header.y).toBeCloseTo(box.height, 0);
    const back = page.getByRole("link", { name: "Back" });
    const over = (await back.boundingBox())!;
    expect(over.y + over.height).toBeLessThan(box.height);
    await expectNoViolations(page);
    await page.evaluate(() => window.scrollTo(0, 900));
    await expect.poll(async () => (await player.root.boundingBox())!.y).toBe(0);
    // What the keyboard comes to is not behind it.
    await page.getByRole("link", { name: "Desi", exact: true }).first().focus();
    const focused = await page.evaluate(
      () => document.activeElement?.getBoundingClientRect().top ?? 0,
    );
    expect(focused).toBeGreaterThanOrEqual(box.height);
    expect((await player.root.boundingBox())!.y).toBe(0);
    await back.click();
    await expect(page).toHaveURL(/#video-/);
  });

  test("hides Back with the controls, and shows it to the keyboard", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await player.stopClock();
    await player.video.evaluate((video: HTMLVideoElement) => {
      video.loop = true;
      return video.play();
    });
    await page.clock.runFor(5_100);
    await player.expectControls(false);
    const back = page.getByRole("link", { name: "Back" });
    await expect(back).toHaveCSS("pointer-events", "none");
    await page.getByRole("button", { name: "Menu" }).or(page.locator("summary")).first().focus();
    await page.keyboard.press("Tab");
    await expect(back).toBeFocused();
    await expect(back).toHaveCSS("pointer-events", "auto");
  });
});

test.describe("turning the phone", () => {
  test("enters fullscreen while playing, and turning it back leaves", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await turn(page, "landscape-primary");
    expect(await isFullscreen(page)).toBe(false);
    await turn(page, "portrait-primary");
    await player.video.evaluate((video: HTMLVideoElement) => {
      video.loop = true;
      return video.play();
    });
    await turn(page, "landscape-primary");
    await expect.poll(() => isFullscreen(page)).toBe(true);
    await turn(page, "portrait-primary");
    await expect.poll(() => isFullscreen(page)).toBe(false);
  });

  test("leaves alone what was entered by the button, and whoever left by it", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.video.evaluate((video: HTMLVideoElement) => {
      video.loop = true;
      return video.play();
    });
    await page.keyboard.press("f");
    await expect.poll(() => isFullscreen(page)).toBe(true);
    await turn(page, "portrait-primary");
    await expect(player.button("Exit fullscreen")).toBeAttached();
    expect(await isFullscreen(page)).toBe(true);
    await page.keyboard.press("f");
    await expect.poll(() => isFullscreen(page)).toBe(false);
    await turn(page, "landscape-primary");
    await expect.poll(() => isFullscreen(page)).toBe(true);
    await page.keyboard.press("f");
    await expect.poll(() => isFullscreen(page)).toBe(false);
    await turn(page, "portrait-primary");
    expect(await isFullscreen(page)).toBe(false);
  });
});
