import { expect, test } from "../site";
import { PlayerPage, publishVideo } from "./player-page";

test("comma and full stop step by a frame when paused, and only then", async ({ page, site }) => {
  const player = new PlayerPage(page);
  await player.open(publishVideo(site));
  await player.seekTo(10);
  await page.keyboard.press(".");
  await expect.poll(async () => (await player.state()).time).toBeCloseTo(10.06, 3);
  await page.keyboard.press(".");
  await expect.poll(async () => (await player.state()).time).toBeCloseTo(10.1, 3);
  await page.keyboard.press(",");
  await expect.poll(async () => (await player.state()).time).toBeCloseTo(10.06, 3);
  await page.keyboard.press("Space");
  await player.expectPlaying();
  await player.record("seeking");
  await page.keyboard.press(",");
  await page.keyboard.press("m");
  await player.expectState({ muted: true });
  expect(await player.events()).toEqual([]);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toContainText(
    "One frame back, forward, when paused",
  );
});

test("the mouse held on the picture plays at double speed until it is let go", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  await page.clock.install();
  await player.open(publishVideo(site));
  await player.stopClock();
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
