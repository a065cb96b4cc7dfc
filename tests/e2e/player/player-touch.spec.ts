import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { PlayerPage } from "./player-page";
import { TouchScreen } from "./touch-screen";

test.use({ hasTouch: true, isMobile: true, viewport: { width: 412, height: 800 } });

test("taps toggle playback, seek and show the controls, and holding a finger down plays faster", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  const touch = await TouchScreen.of(page);
  await player.openStopped(publishVideo(site));

  await test.step("the first tap plays, and a later single tap pauses after 300 ms", async () => {
    await touch.tap(await player.at(0.5, 0.5));
    await player.expectPlaying();
    await page.clock.runFor(1_000);
    await player.record("play", "pause");
    await touch.tap(await player.at(0.5, 0.4));
    await page.clock.runFor(299);
    expect(await player.events()).toEqual([]);
    await page.clock.runFor(1);
    await player.expectState({ paused: true });
    await expect.poll(() => player.events()).toEqual(["pause"]);
  });

  await test.step("a double tap seeks with a ripple, and more taps add up", async () => {
    await player.seekTo(15);
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
    await player.expectState({ time: 25, paused: true });
    await expect(player.root.locator('.player-ripple[data-side="left"]')).toContainText("10 s");
    await page.clock.runFor(1_000);
    expect(await player.events()).toEqual(["pause"]);
  });

  await test.step("tapping hidden controls shows them without activating them or pausing", async () => {
    await player.seekTo(2);
    await touch.tap(await player.at(0.5, 0.4));
    await page.clock.runFor(301);
    await player.expectPlaying();
    await page.clock.runFor(5_100);
    await player.expectControls(false);
    const mute = (await player.button("Mute").boundingBox())!;
    await touch.tap({ x: mute.x + 20, y: mute.y + 20 });
    await page.clock.runFor(301);
    await player.expectControls(true);
    await player.expectState({ muted: false, paused: false });
  });

  await test.step("a tap on the time keeps the controls visible, and two taps at the bottom edge seek", async () => {
    await page.clock.runFor(2_000);
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
    await page.clock.runFor(1_000);
    await player.expectState({ paused: false });
  });

  await test.step("holding a finger down plays at double speed and never pauses", async () => {
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
    await player.expectState({ paused: false });
  });
});

test("vertical swipes set the volume and brightness, and other gestures are left to the browser", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  const touch = await TouchScreen.of(page);
  await player.openStopped(publishVideo(site));
  const brightness = async () => Number(/[\d.]+/.exec((await player.state()).filter)?.[0]);

  await test.step("a swipe of less than 20 px doesn't change anything", async () => {
    const from = await player.at(0.8, 0.4);
    await touch.swipe(from, { x: from.x, y: from.y + 18 }, { steps: 6, stay: true });
    await player.expectState({ volume: 1 });
    await expect(player.root.locator(".player-level")).toBeHidden();
    await touch.up();
  });

  await test.step("the right half sets the volume, with an indicator for 1 s", async () => {
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

  await test.step("the left half sets the brightness, from 0.2 to 2", async () => {
    const low = await player.at(0.2, 0.6);
    await touch.swipe(low, { x: low.x, y: low.y - 100 });
    expect(await brightness()).toBeGreaterThan(1.3);
    await expect(player.root.locator('.player-level[data-level="brightness"]')).toBeVisible();
    for (let again = 0; again < 2; again++) {
      await touch.swipe(low, { x: low.x, y: low.y - 220 });
    }
    await player.expectState({ filter: "brightness(2)" });
    // This is below the Back link, which is on top of the video.
    const high = await player.at(0.2, 0.3);
    for (let again = 0; again < 3; again++) {
      await touch.swipe(high, { x: high.x, y: high.y + 220 });
    }
    await player.expectState({ filter: "brightness(0.2)", volume: 1 });
  });

  await test.step("a swipe can start on the controls, but not on the seek bar", async () => {
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
    expect(await brightness()).toBeGreaterThan(0.5);
    // The swipe didn't activate any button on the way.
    await expect(player.button("Fullscreen")).toBeVisible();
    await player.expectState({ paused: true });
    const bar = (await player.seek.boundingBox())!;
    await swipeUp({ x: bar.x + bar.width * 0.8, y: bar.y + bar.height / 2 });
    await player.expectState({ volume, filter });
  });

  await test.step("rotating the screen ends the swipe and keeps the level", async () => {
    const from = await player.at(0.8, 0.2);
    await touch.swipe(from, { x: from.x, y: from.y + 80 }, { stay: true });
    const { volume } = await player.state();
    await page.setViewportSize({ width: 800, height: 412 });
    await expect.poll(async () => (await player.video.boundingBox())!.width).toBeGreaterThan(500);
    await touch.move({ x: from.x, y: from.y + 140 });
    await touch.up();
    await player.expectState({ volume });
    await page.setViewportSize({ width: 412, height: 800 });
    await expect.poll(async () => (await player.video.boundingBox())!.width).toBe(412);
  });

  await test.step("horizontal scrolling and pinching are left to the browser", async () => {
    const before = await player.state();
    await page.evaluate(() => {
      const defaultPrevented: boolean[] = [];
      Object.assign(window, { defaultPrevented });
      window.addEventListener("touchmove", (event) =>
        defaultPrevented.push(event.defaultPrevented),
      );
    });
    const defaultPrevented = () =>
      page.evaluate(() => (window as unknown as { defaultPrevented: boolean[] }).defaultPrevented);
    const from = await player.at(0.8, 0.4);
    await touch.swipe(from, { x: from.x - 150, y: from.y + 12 });
    const other = await player.at(0.6, 0.6);
    await touch.down(from, other);
    await touch.move({ x: from.x, y: from.y - 40 }, { x: other.x, y: other.y + 40 });
    await touch.move({ x: from.x, y: from.y - 60 }, { x: other.x, y: other.y + 60 });
    await touch.up();
    const moves = await defaultPrevented();
    expect(moves.length).toBeGreaterThan(0);
    expect(moves).not.toContain(true);
    expect(await player.state()).toEqual(before);
  });
});
