import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { clip, mp4Clip } from "../../clips";
import { truncated } from "../../media-clips";
import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { PlayerPage } from "./player-page";

test.describe("files that are not as they should be", () => {
  test("one that does not exist is said to be missing, and played once it is there", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    const id = site.addVideo({ status: "published", video_url: "/media/videos/owner/later.mp4" });
    await page.goto(`/video/${id}`);
    const notice = player.root.getByRole("alert");
    await expect(notice).toContainText("The file of this video can't be found.");
    await expect(player.root.getByText("Buffering…")).toBeHidden();
    site.addFile("videos", "owner/later.mp4", fs.readFileSync(mp4Clip(40)));
    await notice.getByRole("button", { name: "Retry" }).click();
    await player.expectPlaying();
    await expect(notice).toBeHidden();
  });

  test("one of another kind is said to be unplayable", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const id = publishVideo(site, { bytes: Buffer.from("no film at all ".repeat(500)) });
    await page.goto(`/video/${id}`);
    await expect(player.root.getByRole("alert")).toContainText(
      "Your browser can't play this kind of video.",
    );
  });

  test("one that is cut off plays to the cut, and then stops with a word", async ({
    page,
    site,
  }) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "player-cut-"));
    const whole = path.join(folder, "whole.mp4");
    fs.copyFileSync(mp4Clip(40), whole);
    const player = new PlayerPage(page);
    await player.open(publishVideo(site, { file: truncated(whole, 0.5) }));
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

  test("one without sound, upright, of 3 s plays like any other", async ({ page, site }) => {
    const file = clip(
      "mp4",
      "-f lavfi -i testsrc2=size=180x320:rate=25:duration=3 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -movflags +faststart".split(
        " ",
      ),
    );
    const player = new PlayerPage(page);
    await player.open(publishVideo(site, { file, duration: "0:03" }));
    await expect(player.root.locator("[data-total]")).toHaveText("0:03");
    const box = (await player.root.boundingBox())!;
    expect(box.width / box.height).toBeCloseTo(16 / 9, 1);
    await page.keyboard.press("k");
    await expect(player.button("Play again")).toBeVisible();
    await page.keyboard.press("ArrowLeft");
    await player.expectState({ time: 0 });
    await page.keyboard.press("k");
    await player.expectPlaying();
  });

  test("one of 10 hours shows hours and is sought in whole", async ({ page, site }) => {
    const file = clip(
      "mp4",
      "-f lavfi -i color=c=teal:size=64x36:rate=1:duration=36000 -c:v libx264 -preset ultrafast -g 60 -pix_fmt yuv420p -movflags +faststart".split(
        " ",
      ),
    );
    const player = new PlayerPage(page);
    await player.open(publishVideo(site, { file, duration: "600:00" }));
    await expect(player.root.locator("[data-total]")).toHaveText("10:00:00");
    await page.keyboard.press("9");
    await expect(player.root.locator("[data-elapsed]")).toHaveText("9:00:00");
    await page.keyboard.press("ArrowRight");
    await player.expectState({ time: 32_410 });
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });
});

test.describe("the network", () => {
  test("is cut in the middle and comes back: playback goes on by itself", async ({
    page,
    site,
  }) => {
    test.setTimeout(120_000);
    const file = clip(
      "mp4",
      // Noise, which doesn't shrink: far more than the browser keeps ahead.
      "-f lavfi -i testsrc2=size=640x360:rate=25:duration=60,noise=alls=60:allf=t -c:v libx264 -preset ultrafast -b:v 12M -minrate 12M -maxrate 12M -bufsize 12M -g 25 -pix_fmt yuv420p -movflags +faststart".split(
        " ",
      ),
    );
    const player = new PlayerPage(page);
    await player.open(publishVideo(site, { file, duration: "1:00" }));
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.playSlowly();
    await site.stop("SIGKILL");
    await page.keyboard.press("8");
    const notice = player.root.getByRole("alert");
    await expect(notice).toContainText("The connection was lost", { timeout: 60_000 });
    await expect(player.root.getByText("Buffering…")).toBeHidden();
    await site.start();
    await expect(notice).toBeHidden({ timeout: 30_000 });
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(45);
  });
});

test.describe("a browser that refuses", () => {
  test("to play leaves the button as it was", async ({ page, site }) => {
    await page.addInitScript(() => {
      HTMLMediaElement.prototype.play = () =>
        Promise.reject(new DOMException("no gesture", "NotAllowedError"));
    });
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.button("Play").click();
    await player.click(0.5);
    await player.expectState({ paused: true });
    await expect(player.button("Play")).toBeVisible();
    await expect(player.root.getByRole("alert")).toBeHidden();
    expect(errors).toEqual([]);
  });

  test("to store anything plays all the same", async ({ page, site }) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    });
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.root.getByRole("slider", { name: "Volume" }).fill("0.4");
    await player.seek.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("k");
    await player.expectState({ paused: true, volume: 0.4 });
    expect(errors).toEqual([]);
  });
});
