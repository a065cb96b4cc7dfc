import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright/test";
import { clip } from "../../clips";
import { publishVideo } from "../../publish-video";
import { holdRequests } from "../hold-requests";
import { expect, test } from "../site";
import { plays, publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

/** Noise doesn't shrink: a file of exactly that many bits a second. */
function noise(seconds: number, megabits: number): string {
  const rate = `${megabits}M`;
  return clip("mp4", [
    ...["-f", "lavfi", "-i"],
    `testsrc2=size=640x360:rate=25:duration=${seconds},noise=alls=60:allf=t`,
    ...`-c:v libx264 -preset ultrafast -b:v ${rate} -minrate ${rate} -maxrate ${rate} -bufsize ${rate}`.split(
      " ",
    ),
    ..."-g 25 -pix_fmt yuv420p -movflags +faststart".split(" "),
  ]);
}

const SLOW_LINE_BITS = 1_600_000;

/** From now on the page loads at 1.6 Mbit/s. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 50,
    downloadThroughput: SLOW_LINE_BITS / 8,
    uploadThroughput: SLOW_LINE_BITS / 8,
  });
}

test.describe("a file that plays before the adaptive source is ready, on a slow line", () => {
  /** Opens the video; the script of the adaptive source comes when the file plays. */
  async function playFile(page: Page, id: string): Promise<PlayerPage> {
    const player = new PlayerPage(page);
    await page.route(/\/hls-[^/]*\.mjs$/, async (route) => {
      await player.expectPlaying();
      await route.continue();
    });
    await page.goto(`/video/${id}`);
    // Its length is not known: where there is a stream, the file is not asked for before play.
    await expect(player.button("Play")).toBeVisible();
    const fetched = page.waitForResponse(/\/hls-[^/]*\.mjs$/);
    await page.keyboard.press("k");
    await player.expectPlaying();
    expect(await plays(player)).toBe("http:");
    await fetched;
    return player;
  }

  test("gives way at the first stall, and goes on where it was", async ({ page, site }) => {
    test.setTimeout(150_000);
    const id = publishAdaptive(site, undefined, { file: noise(40, 3) });
    await slowDown(page);
    const player = await playFile(page, id);
    let before = 0;
    await expect
      .poll(
        async () => {
          const source = await plays(player);
          if (source === "http:") before = (await player.state()).time;
          return source;
        },
        { timeout: 90_000, intervals: [100] },
      )
      .toBe("blob:");
    // What the controls show meanwhile is what goes on: there is nothing to press again.
    await expect(player.button("Pause")).toBeVisible();
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThanOrEqual(before - 0.5);
    const height = await player.video.evaluate((video: HTMLVideoElement) => video.videoHeight);
    expect([90, 180]).toContain(height);
    await expect(player.root.getByRole("alert")).toBeHidden();
  });

  test("gives way at a seek", async ({ page, site }) => {
    const player = await playFile(page, publishAdaptive(site));
    await player.playSlowly();
    await page.keyboard.press("5");
    await expect.poll(() => plays(player)).toBe("blob:");
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(19);
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: /^Quality/ }).click();
    await expect(page.getByRole("menuitemradio", { name: /^Auto/ })).toBeChecked();
  });

  test("is paused by one press while the other source loads", async ({ page, site }) => {
    const player = await playFile(page, publishAdaptive(site));
    // From here on the page has its playlists, and the first segment of the smallest rendition.
    await page.waitForLoadState("networkidle");
    const release = await holdRequests(page, /\/hls\/.*\.(m3u8|m4s)/);
    await page.keyboard.press("5");
    await expect.poll(() => plays(player)).toBe("blob:");
    await expect(player.root.getByText("Buffering…")).toBeVisible();
    await expect(player.root.locator("[data-elapsed]")).toHaveText("0:20");
    await expect(player.root.locator("[data-total]")).toHaveText("0:40");
    await page.keyboard.press("k");
    await expect(player.button("Play")).toBeVisible();
    await page.keyboard.press("ArrowRight");
    release();
    await player.expectState({ paused: true });
    await expect.poll(async () => (await player.state()).time).toBeCloseTo(30, 0);
    await page.keyboard.press("k");
    await player.expectPlaying();
  });

  test("stays when the original was chosen", async ({ page, site }) => {
    const player = await playFile(page, publishAdaptive(site));
    await player.playSlowly();
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: /^Quality/ }).click();
    await page.getByRole("menuitemradio", { name: "Original" }).click();
    await player.seekTo(20);
    await player.expectPlaying();
    await player.seekTo(5);
    await player.expectPlaying();
    expect(await plays(player)).toBe("http:");
  });

  test("gives way to a link's time too, before anything has played", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishAdaptive(site), "?t=12");
    await expect.poll(() => plays(player)).toBe("blob:");
    await player.expectState({ time: 12, paused: true });
  });
});

test("a file that is replaced behind its address is played on without a word", async ({
  page,
  site,
}) => {
  test.setTimeout(120_000);
  const indexFirst = noise(60, 12);
  const indexLast = clip("mp4", ["-i", indexFirst, "-c", "copy"]);
  const player = new PlayerPage(page);
  const id = publishVideo(site, { file: indexLast, duration: "1:00" });
  await player.open(id);
  await page.keyboard.press("k");
  await player.expectPlaying();
  await player.playSlowly();
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver(() => {
      const alert = document.querySelector('[role="alert"]')?.textContent;
      if (alert) said.push(alert);
    }).observe(document.body, { subtree: true, childList: true });
  });
  await player.record("error");

  const address = site.database().prepare("SELECT video_url FROM videos").pluck().get();
  const file = path.join(site.uploads, String(address).replace("/media/", ""));
  fs.copyFileSync(indexFirst, `${file}.new`);
  fs.renameSync(`${file}.new`, file);
  await page.keyboard.press("8");
  await expect.poll(async () => (await player.state()).time).toBeGreaterThan(48);
  await player.expectPlaying();
  expect(await player.events()).toEqual(["error"]);
  expect(await page.evaluate(() => (window as unknown as { said: string[] }).said)).toEqual([]);
});
