import fs from "node:fs";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { recordShifts } from "../layout-shifts";
import { expect, expectNoViolations, test } from "../site";

const section = (page: Page) => page.getByRole("region", { name: "Continue watching" });
const startedVideos = (page: Page) => section(page).getByRole("link");

/** Sets the browser's watch history, with the newest video last, before the page is opened. */
async function remember(page: Page, history: unknown): Promise<void> {
  await page.addInitScript(
    (text) => {
      if (localStorage.getItem("visitor") === null) localStorage.setItem("visitor", text);
    },
    JSON.stringify({ resume: history }),
  );
}

const points = (...numbers: number[]) => numbers.map((number) => [`v${number}`, number * 10]);

test("started videos are shown above the list, most recent first, and continue where they stopped", async ({
  page,
  site,
}) => {
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(60)));
  await fill(site, 12, (number) => ({
    duration: "1:00",
    video_url: clip,
    status: number === 11 ? "hidden" : "published",
  }));
  await remember(page, [...points(1, 2, 10), ["gone", 30], ...points(11, 3)]);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
  const shifts = await recordShifts(page);
  await page.goto("/");
  await expect(startedVideos(page)).toHaveText([
    /Video 3.*0:30 left/,
    /Video 10/,
    /Video 2/,
    /Video 1.*0:50 left/,
  ]);
  await expect(startedVideos(page).first()).toContainText("Watched: 50%");
  const inList = page.locator("main article").filter({ hasText: "Video 3" });
  await expect(inList).toContainText("Watched: 50%");
  await expectNoViolations(page);

  await test.step("a withdrawn video is replaced by the next one without a layout shift", async () => {
    site.database().exec("UPDATE videos SET status = 'hidden' WHERE id = 'v10'");
    await expect(startedVideos(page)).toHaveText([/Video 3/, /Video 2/, /Video 1/]);
    expect(await shifts()).toEqual([]);
  });

  await test.step("no URL that the browser requests contains the watch history", async () => {
    await page.waitForLoadState("networkidle");
    expect(requests.filter((line) => /[?&=/#]v(?:1|2|3|10|11)\b/.test(line))).toEqual([]);
    const cards = requests.filter((line) => line.endsWith("/saved/videos"));
    expect([...new Set(cards)]).toEqual([expect.stringMatching(/^POST/)]);
  });

  await startedVideos(page).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 3");
  await expect(page).toHaveURL(/\/video\/v3#t=30$/);
  const video = page.locator("video");
  const time = () => video.evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(time).toBeGreaterThanOrEqual(30);
  await video.evaluate(async (video: HTMLVideoElement) => {
    video.currentTime = 40;
    await video.play();
    video.pause();
  });

  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(startedVideos(page).first()).toHaveText(/Video 3.*0:20 left/);
  await page.getByRole("link", { name: "Surprise me" }).click();
  await expect(page).toHaveURL(/\/video\/v\d/);
});

test("the cards are replaced by an error if they can't be loaded, or by a message if no video in the history is public", async ({
  page,
  site,
}) => {
  await fill(site, 3);
  await remember(page, points(1));
  // Adding the videos changed the catalogue. The event about that change would make the page request the cards again.
  await page.route("**/events", (route) => route.fulfill({ status: 204 }));
  await page.route("**/saved/videos", (route) => route.abort());
  const shifts = await recordShifts(page);
  await page.goto("/");
  await expect(section(page)).toContainText("Error loading videos: Failed to fetch videos.");
  await expectNoViolations(page);
  await page.unroute("**/saved/videos");
  site.database().exec("UPDATE videos SET status = 'hidden' WHERE id = 'v1'");
  await section(page).getByRole("button", { name: "Retry" }).click();
  await expect(page.getByText("The videos you started are no longer available.")).toBeVisible();
  await expectNoViolations(page);
  expect(await shifts()).toEqual([]);
});
