import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { clip, mp4Clip } from "../../clips";
import { truncated } from "../../media-clips";
import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { PlayerPage } from "./player-page";

test.describe("damaged and unusual files", () => {
  test("a truncated file plays to its end, and the player then shows an error or offers a replay", async ({
    page,
    site,
  }) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "player-cut-"));
    const complete = path.join(folder, "whole.mp4");
    fs.copyFileSync(mp4Clip(40), complete);
    const player = new PlayerPage(page);
    await player.open(publishVideo(site, { file: truncated(complete, 0.5) }));
    fs.rmSync(folder, { recursive: true });
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.seekTo(10);
    await player.expectPlaying();
    await page.keyboard.press("8");
    const ended = player.button("Play again");
    await expect(player.root.getByRole("alert").or(ended).first()).toBeVisible();
    await expect(player.root.getByText("Buffering…")).toBeHidden();
  });

  test("a vertical 10-hour file without audio plays, and the viewer can seek to any position", async ({
    page,
    site,
  }) => {
    const file = clip(
      "mp4",
      "-f lavfi -i color=c=teal:size=36x64:rate=1:duration=36000 -c:v libx264 -preset ultrafast -g 60 -pix_fmt yuv420p -movflags +faststart".split(
        " ",
      ),
    );
    const player = new PlayerPage(page);
    await player.open(publishVideo(site, { file, duration: "600:00" }));
    await expect(player.root.locator("[data-total]")).toHaveText("10:00:00");
    const box = (await player.root.boundingBox())!;
    expect(box.width / box.height).toBeCloseTo(16 / 9, 1);
    await page.keyboard.press("9");
    await expect(player.root.locator("[data-elapsed]")).toHaveText("9:00:00");
    await page.keyboard.press("ArrowRight");
    await player.expectState({ time: 32_410 });
    await page.keyboard.press("k");
    await player.expectPlaying();
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });
});

test("in a browser that blocks storage, videos can still be saved and played", async ({
  page,
  site,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  const errors: Error[] = [];
  page.on("pageerror", (error) => errors.push(error));
  publishVideo(site);
  await page.goto("/");
  const save = page.getByRole("button", { name: "Save A quiet evening", exact: true });
  await save.click();
  await expect(save).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText("Saved until you close this tab.")).toBeVisible();
  await page.locator("main article").getByRole("link").first().click();
  const player = new PlayerPage(page);
  await player.ready();
  await page.keyboard.press("k");
  await player.expectPlaying();
  await player.root.getByRole("slider", { name: "Volume" }).fill("0.4");
  await page.keyboard.press("k");
  await player.expectState({ paused: true, volume: 0.4 });
  expect(errors).toEqual([]);
});
