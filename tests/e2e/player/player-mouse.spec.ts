import sharp from "sharp";
import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { PlayerPage } from "./player-page";

test.describe("the picture under the mouse", () => {
  test("a click toggles play when the 300 ms of a double click are over", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await player.click(0.7);
    await player.expectPlaying();
    // The rounded corners of a playing video leave no holes in the page.
    expect((await sharp(await page.screenshot()).stats()).isOpaque).toBe(true);
    await page.clock.runFor(1_000);

    await player.stopClock();
    await player.record("pause");
    await player.click(0.7);
    await page.clock.runFor(299);
    await player.expectState({ paused: false });
    expect(await player.events()).toEqual([]);
    await page.clock.runFor(1);
    await player.expectState({ paused: true });

    await player.click(0.2);
    await page.clock.runFor(300);
    await player.expectState({ paused: false });
  });

  test("a double click seeks 10 s by half, and play goes on undisturbed", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.seekTo(20);
    await player.record("play", "pause");
    await page.clock.install();
    await player.stopClock();

    await player.click(0.8);
    await page.clock.runFor(250);
    await player.click(0.8);
    await player.expectState({ paused: true, time: 30 });
    await expect(player.root.getByText("10 s")).toBeVisible();
    await page.clock.runFor(1_000);
    await expect(player.root.getByText("10 s")).toBeHidden();

    await player.click(0.1);
    await page.clock.runFor(100);
    await player.click(0.1);
    await page.clock.runFor(100);
    await player.click(0.1);
    await player.expectState({ paused: true, time: 10 });
    await expect(player.root.getByText("20 s")).toBeVisible();
    await page.clock.runFor(1_000);
    expect(await player.events()).toEqual([]);
  });

  test("clicks 301 ms apart are two single ones", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await player.seekTo(20);
    await player.stopClock();
    await player.record("play", "pause");
    await player.click(0.8);
    await page.clock.runFor(301);
    await player.click(0.8);
    await page.clock.runFor(301);
    await expect.poll(() => player.events()).toEqual(["play", "pause"]);
    expect((await player.state()).time).toBeLessThan(22);
  });

  test("a hundred fast clicks end at the end and never toggle play", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await player.seekTo(1);
    await player.stopClock();
    await player.record("play", "pause");
    const point = await player.at(0.1, 0.4);
    for (let click = 0; click < 100; click++) await page.mouse.click(point.x, point.y);
    await player.expectState({ time: 0 });
    await page.clock.runFor(400);
    expect(await player.events()).toEqual([]);
  });

  test("the mouse held on the picture plays at double speed until it is let go", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.openStopped(publishVideo(site));
    await player.click(0.5);
    await player.expectPlaying();
    await page.clock.runFor(1_000);
    await player.record("pause");
    const point = await player.at(0.3, 0.4);
    await page.mouse.move(point.x, point.y);
    await page.mouse.down();
    await page.clock.runFor(500);
    await player.expectState({ speed: 2 });
    await expect(player.root.locator(".player-note")).toHaveText("2×");
    // Let go beside the picture.
    await page.mouse.move(5, 5);
    await page.mouse.up();
    await player.expectState({ speed: 1 });
    await page.clock.runFor(1_000);
    expect(await player.events()).toEqual([]);
    await player.click(0.5);
    await page.clock.runFor(301);
    await player.expectState({ paused: true });
  });
});

test.describe("the bar", () => {
  test("plays, pauses, steps, mutes and unmutes to 0.5", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.button("Forward 10 seconds").click();
    await player.expectState({ time: 10 });
    await player.button("Back 10 seconds").click();
    await player.expectState({ time: 0 });
    await player.button("Mute").click();
    await player.expectState({ muted: true });
    await expect(player.root.getByRole("slider", { name: "Volume" })).toHaveValue("0");
    await player.button("Unmute").click();
    await player.expectState({ muted: false, volume: 0.5 });
    await player.button("Play").click();
    await player.expectPlaying();
    await player.button("Pause").click();
    await player.expectState({ paused: true });
  });

  test("the volume slider goes from 0, which is mute, to 1", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    const slider = player.root.getByRole("slider", { name: "Volume" });
    await slider.fill("0");
    await player.expectState({ volume: 0, muted: true });
    await expect(player.button("Unmute")).toBeVisible();
    await slider.fill("0.8");
    await player.expectState({ volume: 0.8, muted: false });
    await slider.fill("1");
    await player.expectState({ volume: 1 });
  });

  test("the seek bar has steps of 0.1, follows the pointer and tells the time", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await expect(player.seek).toHaveAttribute("step", "0.1");
    await expect(player.root.locator("[data-total]")).toHaveText("0:40");
    const box = (await player.root.locator(".player-seek").boundingBox())!;
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.255, y);
    await expect(player.root.locator(".player-preview")).toHaveText("0:10");
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, y, { steps: 5 });
    await page.mouse.move(box.x + box.width * 0.505, y, { steps: 5 });
    await page.mouse.up();
    await expect.poll(async () => Math.round((await player.state()).time)).toBe(20);
    await expect(player.root.locator("[data-elapsed]")).toHaveText("0:20");
    await expect(player.seek).toHaveAttribute("aria-valuetext", "0:20 of 0:40");
    await player.seek.fill("12.3");
    await player.expectState({ time: 12.3 });
  });

  test("a mouse press leaves the space bar to play", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.button("Mute").click();
    await page.keyboard.press("Space");
    await player.expectState({ muted: true, paused: false });
  });
});

test.describe("the controls hide", () => {
  test("5 s after play starts, and the cursor with them", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.openStopped(publishVideo(site));
    await page.keyboard.press("k");
    await player.expectPlaying();
    await page.clock.runFor(4_900);
    await player.expectControls(true);
    await page.clock.runFor(200);
    await player.expectControls(false);
    await expect(player.root).toHaveCSS("cursor", "none");
    await expect(player.root.locator(".player-chrome")).toHaveCSS("opacity", "0");
  });

  test("3 s after the mouse rests", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.openStopped(publishVideo(site));
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.playSlowly();
    await page.clock.runFor(5_100);
    await player.expectControls(false);
    const point = await player.at(0.5, 0.3);
    await page.mouse.move(point.x, point.y);
    await player.expectControls(true);
    await page.clock.runFor(2_000);
    await page.mouse.move(point.x + 5, point.y);
    await page.clock.runFor(2_900);
    await player.expectControls(true);
    await page.clock.runFor(200);
    await player.expectControls(false);
  });

  test("never while the mouse is over one, or one has the focus", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.openStopped(publishVideo(site));
    await player.button("Play").click();
    await player.expectPlaying();
    await player.playSlowly();
    await page.clock.runFor(20_000);
    await player.expectControls(true);
    const away = await player.at(0.5, 0.3);
    await page.mouse.move(away.x, away.y);
    await page.clock.runFor(3_100);
    await player.expectControls(false);

    await player.button("Mute").focus();
    await player.expectControls(true);
    await page.clock.runFor(20_000);
    await player.expectControls(true);
    await page.getByRole("link", { name: "Back", exact: true }).focus();
    await page.clock.runFor(3_100);
    await player.expectControls(false);
  });

  test("never while paused", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.openStopped(publishVideo(site));
    await page.keyboard.press("k");
    await player.expectPlaying();
    await page.keyboard.press("k");
    await player.expectState({ paused: true });
    await page.clock.runFor(60_000);
    await player.expectControls(true);
  });
});
