import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright/test";
import { clip, mp4Clip } from "../../clips";
import { addProcessedVideo } from "../../processed-videos";
import { publishVideo } from "../../publish-video";
import { expect, expectNoViolations, signIn, test } from "../site";
import { PlayerPage } from "./player-page";

let folder: string;
test.beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "captions-e2e-"));
});
test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const captionLines = (page: Page) => page.locator(".player-captions p");

test("embedded captions can be turned on, switched and turned off, and the choice is remembered", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  await player.open(
    addProcessedVideo({ sqlite: site.database(), uploads: site.uploads }, "complete"),
  );
  await player.seekTo(2);
  await expect(captionLines(page)).toHaveCount(0);
  await player.button("Captions").click();
  await expect(captionLines(page)).toHaveText(["Good evening & welcome"]);
  await expect(captionLines(page).locator("i")).toHaveText("evening");
  await expectNoViolations(page);
  await player.seekTo(3.5);
  await expect(captionLines(page)).toHaveCount(0);
  await player.seekTo(5);
  await expect(captionLines(page)).toHaveText(["Good night"]);

  await player.button("Settings").click();
  await page.getByRole("menuitem", { name: /Captions/ }).click();
  await page.getByRole("menuitemradio", { name: "German" }).click();
  await expect(captionLines(page)).toHaveText(["Gute Nacht"]);
  await page.reload();
  await player.ready();
  await player.seekTo(2);
  await expect(captionLines(page)).toHaveText(["Guten Abend"]);

  await page.keyboard.press("c");
  await expect(captionLines(page)).toHaveCount(0);
  await expect(player.button("Captions")).toHaveAttribute("aria-pressed", "false");
});

test("an admin adds captions and a thumbnail, and removes the captions", async ({ page, site }) => {
  const id = publishVideo(site, { thumbnail_url: null });
  const captions = path.join(folder, "added.srt");
  fs.writeFileSync(captions, "1\n00:00:01,000 --> 00:00:03,000\nGood evening\n");
  const row = () => site.database().prepare("SELECT * FROM videos").get();
  await signIn(page);
  await page.goto(`/admin?tab=manage&edit=${id}`);
  await expectNoViolations(page);
  await page.getByLabel("Add captions").setInputFiles(captions);
  await page.getByLabel("Caption language").selectOption("Hindi");
  const still = clip("jpg", ["-ss", "1", "-i", mp4Clip(5), "-frames:v", "1"]);
  await page.getByLabel("Thumbnail", { exact: true }).setInputFiles(still);
  await page.getByRole("button", { name: "Update" }).click();
  await expect(page.getByText("Video has been updated successfully.")).toBeVisible();
  expect(row()).toMatchObject({ thumbnail_url: expect.stringMatching(/\.webp$/) });

  await page.goto(`/video/${id}`);
  const track = page.locator("video > track");
  await expect(track).toHaveAttribute("label", "Hindi");
  expect((await page.request.get(String(await track.getAttribute("src")))).status()).toBe(200);

  await page.goto(`/admin?tab=manage&edit=${id}`);
  await page.getByLabel("Remove Hindi").check();
  await page.getByRole("button", { name: "Update" }).click();
  await expect(page.getByText("Video has been updated successfully.")).toBeVisible();
  expect(row()).toMatchObject({ captions: "[]" });
});
