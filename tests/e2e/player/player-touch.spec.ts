import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { PlayerPage } from "./player-page";
import { TouchScreen } from "./touch-screen";

test.use({ hasTouch: true, isMobile: true, viewport: { width: 412, height: 800 } });

test.describe("taps", () => {
  test("the first one plays at once, a single one toggles after 300 ms", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.openStopped(publishVideo(site));
    await touch.tap(await player.at(0.5, 0.5));
    await player.expectPlaying();
    await page.clock.runFor(1_000);
    await player.record("pause");
    await touch.tap(await player.at(0.5, 0.4));
    await page.clock.runFor(299);
    expect(await player.events()).toEqual([]);
    await page.clock.runFor(1);
    await player.expectState({ paused: true });
  });

  test("a double tap seeks by half with a ripple, and more taps add up", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await player.seekTo(15);
    await player.stopClock();
    await player.record("play", "pause");
    const right = await player.at(0.85, 0.4);
    await touch.tap(right);
    await page.clock.runFor(200);
    await touch.tap(right);
    await player.expectState({ time: 25 });
    await expect(player.root.locator('.player-ripple[data-side="right"]')).toContainText("10 s");
    await expect(player.root.locator(".player-ripple-wave")).toBeAttached();
    await page.clock.runFor(200);
    await touch.tap(right);
    await player.expectState({ time: 35 });
    await expect(player.root.locator(".player-ripple")).toContainText("20 s");
    await page.clock.runFor(1_000);
    await expect(player.root.locator(".player-ripple")).toBeHidden();

    const left = await player.at(0.15, 0.4);
    await touch.tap(left);
    await page.clock.runFor(100);
    await touch.tap(left);
    await player.expectState({ time: 25 });
    await expect(player.root.locator('.player-ripple[data-side="left"]')).toContainText("10 s");
    await page.clock.runFor(1_000);
    expect(await player.events()).toEqual([]);
  });

  test("what is hidden is not pressed by accident", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.openStopped(publishVideo(site));
    await touch.tap(await player.at(0.5, 0.5));
    await player.expectPlaying();
    await page.clock.runFor(5_100);
    await player.expectControls(false);
    const mute = (await player.button("Mute").boundingBox())!;
    await touch.tap({ x: mute.x + 20, y: mute.y + 20 });
    await page.clock.runFor(301);
    // It shows the controls there without pausing.
    await player.expectControls(true);
    await player.expectState({ muted: false, paused: false });
    await page.clock.runFor(5_100);
    await player.expectControls(false);
    await touch.tap(await player.at(0.5, 0.4));
    await page.clock.runFor(301);
    await player.expectState({ paused: true });
  });

  test("on the time keeps the controls, and two at the lower edge seek", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await player.stopClock();
    await touch.tap(await player.at(0.5, 0.5));
    await player.expectPlaying();
    await player.record("pause");
    await page.clock.runFor(4_000);
    const time = (await player.root.locator(".player-time").boundingBox())!;
    await touch.tap({ x: time.x + time.width / 2, y: time.y + time.height / 2 });
    await page.clock.runFor(2_000);
    await player.expectControls(true);
    await page.clock.runFor(1_100);
    await player.expectControls(false);
    const low = await player.at(0.9, 0.9);
    await touch.tap(low);
    await page.clock.runFor(100);
    await touch.tap(low);
    await expect(player.root.locator(".player-ripple")).toContainText("10 s");
    expect(await player.events()).toEqual([]);
  });
});

test.describe("holding", () => {
  test("plays at double speed until the finger is lifted, and never pauses", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await player.stopClock();
    await touch.tap(await player.at(0.5, 0.5));
    await player.expectPlaying();
    await page.clock.runFor(1_000);
    await player.record("pause");
    const point = await player.at(0.7, 0.4);
    await touch.down(point);
    await page.clock.runFor(499);
    await player.expectState({ speed: 1 });
    await page.clock.runFor(1);
    await player.expectState({ speed: 2 });
    await expect(player.root.locator(".player-note")).toHaveText("2×");
    await touch.move({ x: point.x, y: point.y - 60 });
    await page.clock.runFor(2_000);
    await expect(player.root.locator(".player-note")).toHaveText("2×");
    await touch.up();
    await player.expectState({ speed: 1, volume: 1 });
    await expect(player.root.locator(".player-note")).toBeHidden();
    await page.clock.runFor(1_000);
    expect(await player.events()).toEqual([]);
    expect(await page.evaluate(() => localStorage.getItem("player:speed"))).not.toBe("2");
  });
});

test.describe("vertical swipes", () => {
  test("on the right half are the volume, with an indicator for 1 s", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.openStopped(publishVideo(site));
    const from = await player.at(0.8, 0.3);
    await touch.swipe(from, { x: from.x, y: from.y + 90 });
    const { volume } = await player.state();
    expect(volume).toBeLessThan(0.7);
    expect(volume).toBeGreaterThan(0.4);
    const indicator = player.root.locator('.player-level[data-level="volume"]');
    await expect(indicator).toContainText(`${Math.round(volume * 100)}%`);
    const level = (await indicator.boundingBox())!;
    const back = (await page.getByRole("link", { name: "Back", exact: true }).boundingBox())!;
    expect(level.x).toBeGreaterThanOrEqual(back.x + back.width);
    await page.clock.runFor(900);
    await expect(indicator).toBeVisible();
    await page.clock.runFor(200);
    await expect(indicator).toBeHidden();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    await player.expectState({ paused: true, time: 0 });

    const up = await player.at(0.8, 0.6);
    await touch.swipe(up, { x: up.x, y: up.y - 200 });
    await player.expectState({ volume: 1 });
  });

  test("change the levels from the controls too, but not from the seek bar", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.openStopped(publishVideo(site));
    const swipeUp = async ({ x, y }: { x: number; y: number }) =>
      touch.swipe({ x, y }, { x, y: y - 90 });
    const middleOf = async (name: string) => {
      const box = (await player.button(name).boundingBox())!;
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    await player.video.evaluate((video: HTMLVideoElement) => {
      video.volume = 0.2;
    });
    await swipeUp(await middleOf("Fullscreen"));
    const { volume } = await player.state();
    expect(volume).toBeGreaterThan(0.4);
    await swipeUp(await middleOf("Play"));
    const { filter } = await player.state();
    expect(Number(/[\d.]+/.exec(filter)?.[0])).toBeGreaterThan(1.3);
    // No button was pressed on the way.
    await expect(player.button("Fullscreen")).toBeVisible();
    await player.expectState({ paused: true });
    const bar = (await player.seek.boundingBox())!;
    await swipeUp({ x: bar.x + bar.width * 0.8, y: bar.y + bar.height / 2 });
    await player.expectState({ volume, filter });
  });

  test("on the left half are the brightness, from 0.2 to 2", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.openStopped(publishVideo(site));
    const low = await player.at(0.2, 0.6);
    await touch.swipe(low, { x: low.x, y: low.y - 100 });
    const brighter = await player.video.evaluate((video) => video.style.filter);
    expect(Number(/[\d.]+/.exec(brighter)?.[0])).toBeGreaterThan(1.3);
    await expect(player.root.locator('.player-level[data-level="brightness"]')).toBeVisible();
    await touch.swipe(low, { x: low.x, y: low.y - 220 });
    await touch.swipe(low, { x: low.x, y: low.y - 220 });
    await player.expectState({ filter: "brightness(2)" });
    // Below Back, which lies over the picture.
    const high = await player.at(0.2, 0.3);
    for (let again = 0; again < 3; again++) {
      await touch.swipe(high, { x: high.x, y: high.y + 220 });
    }
    await player.expectState({ filter: "brightness(0.2)", volume: 1 });
  });

  test("below 20 px change nothing", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.openStopped(publishVideo(site));
    const from = await player.at(0.8, 0.4);
    await touch.swipe(from, { x: from.x, y: from.y + 18 }, { steps: 6, stay: true });
    await player.expectState({ volume: 1 });
    await expect(player.root.locator(".player-level")).toBeHidden();
    await touch.move({ x: from.x, y: from.y + 60 });
    await expect(player.root.locator(".player-level")).toBeVisible();
    await touch.up();
    expect((await player.state()).volume).toBeLessThan(1);
  });

  test("a sideways scroll and a pinch stay the browser's", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.open(publishVideo(site));
    await page.evaluate(() => {
      const taken: boolean[] = [];
      Object.assign(window, { taken });
      window.addEventListener("touchmove", (event) => taken.push(event.defaultPrevented));
    });
    const taken = () => page.evaluate(() => (window as unknown as { taken: boolean[] }).taken);
    const from = await player.at(0.8, 0.4);
    await touch.swipe(from, { x: from.x - 150, y: from.y + 12 });
    expect(await taken()).not.toContain(true);
    const other = await player.at(0.6, 0.6);
    await touch.down(from, other);
    await touch.move({ x: from.x, y: from.y - 40 }, { x: other.x, y: other.y + 40 });
    await touch.move({ x: from.x, y: from.y - 60 }, { x: other.x, y: other.y + 60 });
    await touch.up();
    expect(await taken()).not.toContain(true);
    await player.expectState({ volume: 1, filter: "", time: 0, paused: true });
  });

  test("are not offered for the volume where only the device's keys set it", async ({
    page,
    site,
  }) => {
    await page.addInitScript(() => {
      Object.defineProperty(HTMLMediaElement.prototype, "volume", { get: () => 1, set() {} });
    });
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.openStopped(publishVideo(site));
    const left = await player.at(0.2, 0.6);
    await touch.swipe(left, { x: left.x, y: left.y - 120 });
    await expect(player.root.locator('.player-level[data-level="brightness"]')).toBeVisible();
    await page.clock.resume();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    const right = await player.at(0.8, 0.6);
    await touch.swipe(right, { x: right.x, y: right.y - 120 });
    await expect(player.root.locator('.player-level[data-level="volume"]')).toBeHidden();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(50);
  });

  test("end where the screen is turned, and leave the level as it was", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await player.open(publishVideo(site));
    const from = await player.at(0.8, 0.2);
    await touch.swipe(from, { x: from.x, y: from.y + 80 }, { stay: true });
    const { volume } = await player.state();
    expect(volume).toBeLessThan(1);
    await page.setViewportSize({ width: 800, height: 412 });
    await expect.poll(async () => (await player.video.boundingBox())!.width).toBeGreaterThan(500);
    await touch.move({ x: from.x, y: from.y + 140 });
    await touch.up();
    await player.expectState({ volume });
  });
});
