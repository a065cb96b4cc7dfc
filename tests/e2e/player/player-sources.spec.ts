import fs from "node:fs";
import type { Page } from "playwright/test";
import { clip, mp4Clip } from "../../clips";
import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { plays, publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

function requestsOf(page: Page): string[] {
  const seen: string[] = [];
  page.on("request", (request) => seen.push(new URL(request.url()).pathname));
  return seen;
}

test.describe("adaptive", () => {
  test("plays through hls.js, which is fetched only then", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const requests = requestsOf(page);
    await player.open(publishVideo(site));
    expect(requests.some((request) => /\/hls-[\w-]+\.mjs/.test(request))).toBe(false);
    await player.open(publishAdaptive(site));
    await expect.poll(() => plays(player)).toBe("blob:");
    await page.keyboard.press("k");
    await player.expectPlaying();
    expect(requests.some((request) => /\/hls-[\w-]+\.mjs/.test(request))).toBe(true);
    await player.seekTo(30);
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(29);
  });

  test("offers its qualities, with Auto and the original", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishAdaptive(site));
    await expect.poll(() => plays(player)).toBe("blob:");
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.playSlowly();
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: /^Quality/ }).click();
    await expect(page.getByRole("menuitemradio")).toHaveText([/^Auto/, "180p", "90p", "Original"]);
    await expect(page.getByRole("menuitemradio", { name: /^Auto/ })).toBeChecked();
    await page.getByRole("menuitemradio", { name: "90p", exact: true }).click();
    await expect(page.getByRole("menu")).toBeHidden();
    await player.button("Settings").click();
    await expect(page.getByRole("menuitem", { name: /^Quality/ })).toContainText("90p");
    const height = () => player.video.evaluate((video: HTMLVideoElement) => video.videoHeight);
    await expect.poll(height).toBe(90);
    await player.seekTo(20);
    await page.getByRole("menuitem", { name: /^Quality/ }).click();
    await page.getByRole("menuitemradio", { name: "Original" }).click();
    await expect.poll(() => plays(player)).toBe("http:");
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(19);
    await expect.poll(height).toBe(180);
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: /^Quality/ }).click();
    await page.getByRole("menuitemradio", { name: /^Auto/ }).click();
    await expect.poll(() => plays(player)).toBe("blob:");
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(19);
  });

  test("gives way to the file when the playlist is missing", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(
      publishAdaptive(site, (name, bytes) => (name === "master.m3u8" ? undefined : bytes)),
    );
    await page.keyboard.press("k");
    await player.expectPlaying();
    await expect.poll(() => plays(player)).toBe("http:");
    await expect(player.root.getByRole("alert")).toBeHidden();
  });

  test("gives way to the file, at the same position, when segments are missing", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(
      publishAdaptive(site, (name, bytes) =>
        name.endsWith(".m4s") ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes,
      ),
    );
    await expect.poll(() => plays(player)).toBe("blob:");
    await page.keyboard.press("k");
    await player.expectPlaying();
    // hls.js shortens the stream to what it found whole, so eight tenths are not always of all.
    // While hls.js attaches the element anew, its length is unknown and there is nowhere to seek to.
    let asked = 0;
    await expect(async () => {
      await page.keyboard.press("8");
      asked = (await player.state()).time;
      expect(asked).toBeGreaterThan(5);
    }).toPass();
    await expect.poll(() => plays(player), { timeout: 60_000 }).toBe("http:");
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(asked - 0.5);
  });

  test("is left alone when the file plays already", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const id = publishAdaptive(site);
    await page.route(/\/hls-[\w-]+\.mjs/, async (route) => {
      await player.expectPlaying();
      await route.continue();
    });
    await page.goto(`/video/${id}`);
    await expect(player.button("Play")).toBeVisible();
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.record("emptied", "pause");
    await expect(player.button("Pause")).toBeVisible();
    await player.expectPlaying();
    expect(await player.events()).toEqual([]);
    expect(await plays(player)).toBe("http:");
  });
});

test.describe("a device whose own player reads playlists, and scripts can't feed (iPhone)", () => {
  test.beforeEach(async ({ page }) => {
    await page.addInitScript(() => {
      Reflect.deleteProperty(window, "MediaSource");
      const own = HTMLMediaElement.prototype.canPlayType;
      HTMLMediaElement.prototype.canPlayType = function canPlayType(type) {
        return type === "application/vnd.apple.mpegurl" ? "maybe" : own.call(this, type);
      };
    });
  });

  test("is given the playlist, and no hls.js", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const requests = requestsOf(page);
    await player.open(publishAdaptive(site));
    await expect.poll(() => requests.some((request) => request.endsWith("master.m3u8"))).toBe(true);
    expect(requests.some((request) => /hls[.-]/.test(request) && request.endsWith(".js"))).toBe(
      false,
    );
  });

  test("plays the file where that player fails", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishAdaptive(site, () => Buffer.from("no playlist")));
    await page.keyboard.press("k");
    await player.expectPlaying();
    const path = () =>
      player.video.evaluate((video: HTMLVideoElement) => new URL(video.currentSrc).pathname);
    await expect.poll(path).toMatch(/\.mp4$/);
    await expect(page.getByRole("button", { name: "Retry" })).toHaveCount(0);
  });
});

test("the picture of the moment stands above the pointer", async ({ page, site }) => {
  const sheet = clip("jpg", [
    "-i",
    mp4Clip(40),
    "-vf",
    "fps=1/10,scale=160:90,tile=4x1",
    "-frames:v",
    "1",
  ]);
  const id = publishVideo(site);
  const url = site.database().prepare("SELECT video_url FROM videos WHERE id = ?").pluck().get(id);
  const basePath = String(url)
    .replace("/media/videos/", "")
    .replace(/\.mp4$/, "");
  site.addFile("thumbnails", `${basePath}/storyboard-1.jpg`, fs.readFileSync(sheet));
  const cues = [0, 10, 20, 30].map(
    (start, index) =>
      `00:${String(start).padStart(2, "0")}.000 --> 00:${start + 10}.000\nstoryboard-1.jpg#xywh=${index * 160},0,160,90\n`,
  );
  const board = site.addFile(
    "thumbnails",
    `${basePath}/storyboard.vtt`,
    `WEBVTT\n\n${cues.join("\n")}`,
  );
  site.database().prepare("UPDATE videos SET storyboard_url = ? WHERE id = ?").run(board, id);

  const player = new PlayerPage(page);
  const requests = requestsOf(page);
  await player.open(id);
  expect(requests.some((request) => request.endsWith(".vtt"))).toBe(false);
  const box = (await player.root.locator(".player-seek").boundingBox())!;
  const hover = (part: number) => page.mouse.move(box.x + box.width * part, box.y + 12);
  await hover(0.6);
  await expect.poll(() => requests.some((request) => request.endsWith(".vtt"))).toBe(true);
  // The mouse rests: the picture comes to it when it is there.
  const picture = player.root.locator(".player-storyboard");
  await expect(picture).toBeVisible();
  await expect(picture).toHaveCSS("background-position", "-320px 0px");
  await expect.poll(() => requests.some((request) => request.endsWith("board-1.jpg"))).toBe(true);
  await hover(0.01);
  await expect(picture).toHaveCSS("background-position", "0px 0px");
  const bubble = (await player.root.locator(".player-preview").boundingBox())!;
  expect(bubble.x).toBeGreaterThanOrEqual(box.x - 1);
});
