import fs from "node:fs";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { doubleTextSize, resizePage } from "../../page-layout";
import { PlayerPage } from "../player/player-page";
import { expect, test } from "../site";

test("with large text, the player fills a wide screen and the related videos are below it", async ({
  page,
  site,
}) => {
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
  await fill(site, 10, (number) => ({ video_url: number === 1 ? clip : "" }));
  await page.goto("/video/v1");
  const boxes = async (textPercent: number) => {
    await resizePage(page, 1_440, textPercent);
    const related = page.getByRole("heading", { name: "Related Videos" });
    return {
      player: (await page.locator(".player").boundingBox())!,
      related: (await related.boundingBox())!,
    };
  };
  const usual = await boxes(100);
  expect(usual.related.x).toBeGreaterThan(usual.player.x + usual.player.width);
  const large = await boxes(200);
  expect(large.player.width).toBeGreaterThan(1200);
  expect(large.related.y).toBeGreaterThan(large.player.y + large.player.height);
});

test("with large text on a phone, captions stay within the video", async ({ page, site }) => {
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
  await page.addInitScript(doubleTextSize);
  const player = new PlayerPage(page);
  await player.open("v1");
  await player.seekTo(2);
  await player.root.press("c");
  const text = page.locator(".player-captions p");
  await expect(text).toBeVisible();
  const top = async () => (await text.boundingBox())!.y;
  await expect.poll(top).toBeGreaterThan((await player.root.boundingBox())!.y);
});
