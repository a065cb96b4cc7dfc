import sharp from "sharp";
import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { PlayerPage } from "./player-page";

test("clicks toggle playback, double clicks seek, and holding the mouse button speeds up playback", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  await player.openStopped(publishVideo(site));
  const toggle = async () => {
    await player.click(0.7);
    await page.clock.runFor(300);
  };

  await player.click(0.7);
  await player.expectPlaying();
  // The rounded corners of a playing video don't make the page transparent.
  expect((await sharp(await page.screenshot()).stats()).isOpaque).toBe(true);

  await test.step("the controls and the cursor are hidden when the mouse stops moving", async () => {
    await page.mouse.move(5, 5);
    await page.clock.runFor(5_100);
    await player.expectControls(false);
    await expect(player.root).toHaveCSS("cursor", "none");
    await expect(player.root.locator(".player-chrome")).toHaveCSS("opacity", "0");
    const point = await player.at(0.5, 0.3);
    await page.mouse.move(point.x, point.y);
    await player.expectControls(true);
    await player.button("Pause").hover();
    await page.clock.runFor(20_000);
    await player.expectControls(true);
  });

  await test.step("a click pauses once the double-click window of 300 ms has passed", async () => {
    await player.record("play", "pause");
    await player.click(0.7);
    await page.clock.runFor(299);
    await player.expectState({ paused: false });
    expect(await player.events()).toEqual([]);
    await page.clock.runFor(1);
    await player.expectState({ paused: true });
    await expect.poll(() => player.events()).toEqual(["pause"]);
  });

  await test.step("a double click seeks 10 s in the direction of the clicked half, and each additional click seeks another 10 s", async () => {
    await player.seekTo(20);
    await player.click(0.8);
    await page.clock.runFor(250);
    await player.click(0.8);
    await player.expectState({ paused: true, time: 30 });
    await expect(player.root.getByText("10 s")).toBeVisible();
    await page.clock.runFor(1_000);
    await expect(player.root.getByText("10 s")).toBeHidden();
    for (let click = 0; click < 3; click++) {
      await page.clock.runFor(100);
      await player.click(0.1);
    }
    await player.expectState({ paused: true, time: 10 });
    await expect(player.root.getByText("20 s")).toBeVisible();
    await page.clock.runFor(1_000);
    expect(await player.events()).toEqual(["pause"]);
  });

  await test.step("after a button is clicked, the space bar still toggles playback", async () => {
    await player.button("Mute").click();
    await page.keyboard.press("Space");
    await player.expectState({ muted: true, paused: false });
  });

  await test.step("holding the mouse button plays at double speed until it is released", async () => {
    const point = await player.at(0.3, 0.4);
    await page.mouse.move(point.x, point.y);
    await page.mouse.down();
    await page.clock.runFor(500);
    await player.expectState({ speed: 2 });
    await expect(player.root.locator(".player-note")).toHaveText("2×");
    // The button is released outside the video.
    await page.mouse.move(5, 5);
    await page.mouse.up();
    await player.expectState({ speed: 1 });
    await page.clock.runFor(1_000);
    await player.expectState({ paused: false });
    await toggle();
    await player.expectState({ paused: true });
  });
});
