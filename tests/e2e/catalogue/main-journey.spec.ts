import fs from "node:fs";
import type { Page } from "playwright/test";
import { mp4Clip, webmClip } from "../../clips";
import { expect, signInByForm, test } from "../site";

/** Plays the video until its position has advanced. */
async function playsOn(page: Page): Promise<void> {
  const video = page.locator("video");
  await video.evaluate((element: HTMLVideoElement) => {
    element.muted = true;
    return element.play();
  });
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(0.5);
}

async function seeksTo(page: Page, seconds: number): Promise<void> {
  const video = page.locator("video");
  await video.evaluate((element: HTMLVideoElement, to) => {
    element.pause();
    element.currentTime = to;
  }, seconds);
  await expect
    .poll(() =>
      video.evaluate((element: HTMLVideoElement) => !element.seeking && element.currentTime),
    )
    .toBe(seconds);
}

const row = (page: Page, title: string) => page.getByRole("row").filter({ hasText: title });

test("an admin uploads a video, a visitor watches it, and the admin hides, shows and deletes it", async ({
  page,
  site,
  browser,
}) => {
  const title = "Evening by the sea";
  await signInByForm(page);
  await expect(page.getByText("Signed in successfully!")).toBeVisible();

  await page.goto("/admin");
  await page.getByLabel("Title").first().fill(title);
  await page.getByLabel("Description").first().fill("Waves, for a while.");
  await page.getByLabel("Category").first().selectOption("english");
  await page.getByLabel("Tags").first().fill("sea, calm ,, waves");
  await page.locator("input[type=file][name=video]").setInputFiles(mp4Clip());
  await page
    .getByRole("button", { name: /^(Upload|Publish)/ })
    .first()
    .click();
  await expect(page.getByText("Video uploaded and published successfully.").first()).toBeVisible();

  const { video_url, duration, tags, status } = site
    .database()
    .prepare("SELECT * FROM videos WHERE title = ?")
    .get(title) as Record<string, string>;
  expect({ duration, tags, status }).toEqual({
    duration: "0:05",
    tags: '["sea","calm","waves"]',
    status: "published",
  });

  const visitor = await browser.newContext({ baseURL: site.url });
  const visit = await visitor.newPage();
  await visit.goto("/");
  await visit.getByRole("link", { name: title }).first().click();
  await expect(visit.getByRole("heading", { name: title, level: 1 })).toBeVisible();
  await playsOn(visit);
  await seeksTo(visit, 4);
  const url = visit.url();
  const file = site.url + video_url;
  const statusOf = async (target: string) => (await visitor.request.get(target)).status();
  expect(await statusOf(file)).toBe(200);

  await page.goto("/admin?tab=manage");
  await row(page, title).getByRole("button", { name: /^Hide/ }).click();
  await expect(page.getByText("Video is now hidden on the website.").first()).toBeVisible();
  expect([await statusOf(url), await statusOf(file)]).toEqual([404, 404]);
  await visit.goto("/");
  await expect(visit.getByText("No videos available.")).toBeVisible();

  await row(page, title).getByRole("button", { name: /^Show/ }).click();
  await expect(page.getByText("Video is now visible on the website.").first()).toBeVisible();
  expect([await statusOf(url), await statusOf(file)]).toEqual([200, 200]);

  await row(page, title)
    .getByRole("link", { name: /^Delete/ })
    .click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(
    page.getByText("Video and associated files have been removed successfully.").first(),
  ).toBeVisible();
  expect([await statusOf(url), await statusOf(file)]).toEqual([404, 404]);

  await test.step("a WebM file also plays and supports seeking", async () => {
    const webm = site.addFile("videos", "u/2.webm", fs.readFileSync(webmClip()));
    await visit.goto(`/video/${site.addVideo({ title: "A WebM file", video_url: webm })}`);
    await playsOn(visit);
    await seeksTo(visit, 4);
  });
  await visitor.close();
});
