import fs from "node:fs";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { doubleText, overflow } from "../../page-layout";
import type { SiteProcess } from "../../site-process";
import { PlayerPage } from "../player/player-page";
import { expect, signIn, test } from "../site";
import { PUBLIC_PAGES } from "./public-pages";

const ADMIN_PAGES = [
  "/admin",
  "/admin?tab=manage",
  "/admin?tab=manage&page=2&search=video",
  "/admin?tab=manage&edit=v1",
  "/admin?tab=manage&delete=v1",
  "/admin/queue",
  "/admin/trash",
  "/admin/tags",
  "/admin/tags?tag=evening",
  "/admin/statistics",
  "/admin/videos/v3/statistics",
  "/admin/activity",
  "/admin/account",
];

async function addVideos(site: SiteProcess): Promise<void> {
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
  await fill(site, 40, (number) => ({
    video_url: number === 1 ? clip : "",
    tags: '["evening", "one take"]',
    description: "https://example.com/a/rather/long/address/that/nobody/breaks",
    views: number * 1_000_000,
    title: number === 3 ? "Averyverylongwordthatcannotbebroken".repeat(3) : `Video ${number}`,
    unpublish_at: number === 2 ? "2099-12-30T22:30:00.000Z" : null,
  }));
  const addJob = site.database().prepare(
    `INSERT OR REPLACE INTO jobs (video_id, kind, priority, state, progress, speed, seconds_left, reason, lease_until)
     VALUES (?, 'ladder', 1, ?, 0.5, 1.8, 3190, ?, '2099-01-01T00:00:00.000Z')`,
  );
  addJob.run("v1", "running", null);
  addJob.run("v2", "failed", "The file ends before its last frame.");
}

const NONE = { sideways: 0, outside: [] };

async function expectNoOverflow(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path);
    expect([path, await overflow(page)]).toEqual([path, NONE]);
  }
}

for (const [name, textPercent, width] of [
  ["at 320 pixels", 100, 320],
  ["with text of twice the size on a phone", 200, 360],
  ["with text of twice the size at 768 pixels", 200, 768],
  ["with text of twice the size at 1024 pixels", 200, 1_024],
] as const) {
  test.describe(name, () => {
    test.beforeEach(async ({ page, site }) => {
      await addVideos(site);
      await page.setViewportSize({ width, height: 740 });
      if (textPercent === 200) await page.addInitScript(doubleText);
    });

    test("every control of the public pages is on the screen", async ({ page }) => {
      await page.addInitScript(() => {
        localStorage.setItem("player:resume", '[["v1",30],["v3",30]]');
        localStorage.setItem("saved-videos", '["v1"]');
      });
      await expectNoOverflow(page, PUBLIC_PAGES);
      await page.goto("/");
      await page.getByRole("banner").locator("summary").click();
      expect(await overflow(page)).toEqual(NONE);
    });

    test("every control of the admin pages is on the screen", async ({ page, site }) => {
      await signIn(page);
      // Counted today, so that the charts of the statistics have long numbers.
      site.database().exec("UPDATE videos SET views = views + 3000000, bytes = 987654321");
      await expectNoOverflow(page, ADMIN_PAGES);
      await page.goto("/admin?tab=manage");
      await page.getByRole("checkbox", { name: "Select Video 1", exact: true }).check();
      await expect(page.getByText("1 selected")).toBeVisible();
      expect(await overflow(page)).toEqual(NONE);
    });
  });
}

test("with large text the player has the width of a wide screen, and the related videos are below it", async ({
  page,
  site,
}) => {
  await addVideos(site);
  await page.setViewportSize({ width: 1440, height: 900 });
  const boxes = async () => {
    await page.goto("/video/v1");
    const related = page.getByRole("heading", { name: "Related Videos" });
    return {
      player: (await page.locator(".player").boundingBox())!,
      related: (await related.boundingBox())!,
    };
  };
  const usual = await boxes();
  expect(usual.related.x).toBeGreaterThan(usual.player.x + usual.player.width);
  await page.addInitScript(doubleText);
  const large = await boxes();
  expect(large.player.width).toBeGreaterThan(1200);
  expect(large.related.y).toBeGreaterThan(large.player.y + large.player.height);
});

test("with large text on a phone captions stay below the top of the picture", async ({
  page,
  site,
}) => {
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
  const url = site.addFile(
    "videos",
    "u/1/captions/en.vtt",
    "WEBVTT\n\n00:00.000 --> 01:00.000\nThe last bus has gone.\nFrom here on we walk.\n",
  );
  site.addVideo({
    id: "v1",
    video_url: clip,
    captions: JSON.stringify([{ url, language: "en", label: "English", added: true }]),
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.addInitScript(doubleText);
  const player = new PlayerPage(page);
  await player.open("v1");
  await player.seekTo(2);
  await player.root.press("c");
  const text = page.locator(".player-captions p");
  await expect(text).toBeVisible();
  const top = async () => (await text.boundingBox())!.y;
  await expect.poll(top).toBeGreaterThan((await player.root.boundingBox())!.y);
});
