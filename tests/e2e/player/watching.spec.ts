import fs from "node:fs";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import type { SiteProcess } from "../../site-process";
import { holdRequests } from "../hold-requests";
import { recordShifts } from "../layout-shifts";
import { expect, expectNoViolations, test } from "../site";

const cards = "main article";
const views = (site: SiteProcess, id: string) =>
  site.database().prepare("SELECT views FROM videos WHERE id = ?").pluck().get(id);

/** What a visitor sees of a position in a list. */
const scrolled = (page: Page) => page.evaluate(() => Math.round(window.scrollY));

test("Back returns to the very list, page and scroll position @phone", async ({ page, site }) => {
  await fill(site, 20, () => ({ category: "english" }));
  await page.goto("/categories/english");
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL("/categories/english?page=2");
  const card = page.locator(cards).filter({ hasText: "Video 14" });
  await expect(card).toBeVisible();
  await card.evaluate((shown) => shown.scrollIntoView({ block: "center" }));
  const before = await scrolled(page);
  expect(before).toBeGreaterThan(0);
  await card.click();
  await expect(page).toHaveURL("/video/v14?from=categories&category=english&page=2");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 14");
  expect(await scrolled(page)).toBe(0);

  // From one video to the next and the one after: Back still means the list.
  await page.getByRole("complementary").getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Video 14");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/categories/english?page=2");
  await expect(page.locator(cards).first()).toContainText("Video 9");
  await expect.poll(() => scrolled(page)).toBe(before);
});

test("Back leads to the list also where the browser has no history of it", async ({
  page,
  site,
}) => {
  await fill(site, 20);
  await page.goto("/video/v12?from=home&search=video&page=2");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/?search=video&page=2#video-v12");
  await page.goto("/video/v12?from=trending");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL(/\/trending#/);
});

test("a view is counted once per load, and shown at once", async ({ page, site }) => {
  await fill(site, 2, (number) => ({ views: number === 1 ? 999 : 5 }));
  await page.goto("/");
  await page.locator(cards).first().click();
  await expect(page.getByText("1.0K views", { exact: true })).toBeVisible();
  await expect.poll(() => views(site, "v1")).toBe(1000);

  // Back and Forward is the same load; a reload is another.
  await page.goBack();
  await expect(page.locator(cards)).toHaveCount(2);
  await page.goForward();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 1");
  await page.reload();
  await expect.poll(() => views(site, "v1")).toBe(1001);

  await page.getByRole("complementary").getByRole("link").first().click();
  await expect(page.getByText("6 views", { exact: true })).toBeVisible();
  await expect.poll(() => views(site, "v2")).toBe(6);
  expect(views(site, "v1")).toBe(1001);
});

test("the page shows all there is to a video, its links safe", async ({ page, site }) => {
  site.addVideo({
    id: "full",
    title: "A <b>bold</b> & quiet film",
    description: "First line\nSecond: https://example.com/a?b=1. <script>alert(1)</script>",
    tags: '["one take", "evening"]',
    category: "featured",
    views: 15_400,
  });
  await page.goto("/video/full");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("A <b>bold</b> & quiet film");
  await expect(page.getByText("15.4K views", { exact: true })).toBeVisible();
  await expect(page.getByText("1 day ago", { exact: true })).toBeVisible();
  await expect(
    page.locator("main").getByRole("link", { name: "Premium Video", exact: true }),
  ).toHaveAttribute("href", "/categories/premium");
  const link = page.getByRole("link", { name: "https://example.com/a?b=1" });
  await expect(link).toHaveAttribute("rel", /noopener.*noreferrer|noreferrer.*noopener/);
  const text = page.getByText("First line");
  await expect(text).toContainText("<script>alert(1)</script>");
  await expect(text).toHaveCSS("white-space-collapse", "preserve-breaks");
  await page.getByRole("link", { name: "one take" }).click();
  await expect(page).toHaveURL("/tags/one%20take");
  await expect(page.locator(cards)).toHaveCount(1);
});

test("a video without a file, without relatives, one that can't be read, and one that is not there", async ({
  page,
  site,
}) => {
  site.addVideo({ id: "alone", title: "Alone", category: "pornstar" });
  await page.goto("/video/alone");
  await expect(page.getByText("Video not available")).toBeVisible();
  await expect(page.getByText("Please try again later.")).toBeVisible();
  await expect(page.getByText("No related videos found")).toBeVisible();
  await page.getByRole("link", { name: "Browse Model/Star" }).click();
  await expect(page).toHaveURL("/categories/pornstar");

  // A category that only another tool knows.
  site.database().exec("DELETE FROM videos");
  site.addVideo({ id: "own", title: "Its own", category: "My own" });
  await page.goto("/video/own");
  await page.getByRole("link", { name: "Browse My own" }).click();
  await expect(page).toHaveURL("/categories/My%20own");
  await expect(page.locator(cards)).toHaveText(/Its own/);

  site.database().exec("ALTER TABLE videos RENAME TO videos_away");
  try {
    // As on a full load, so on a change of the page.
    await page.locator(cards).first().click();
    await expect(page.getByRole("alert")).toContainText("Error loading videos: Failed to fetch");
    expect((await page.reload())?.status()).toBe(500);
    await expect(page).toHaveTitle("Something went wrong | Afterdark");
    await expect(page.getByRole("alert")).toContainText("Error loading videos: Failed to fetch");
  } finally {
    site.database().exec("ALTER TABLE videos_away RENAME TO videos");
  }
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Its own");

  expect((await page.goto("/video/nobody"))?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Video not found" })).toBeVisible();
  await expect(
    page.getByText("The video you're looking for doesn't exist or has been removed"),
  ).toBeVisible();
  await page.getByRole("link", { name: "Back to Home" }).click();
  await expect(page).toHaveURL("/");
});

test("a slow video shows a skeleton whose player has the page's size and position @phone", async ({
  page,
  site,
  isMobile,
}) => {
  await fill(site, 8);
  const shifts = await recordShifts(page);
  const boxOf = async (selector: string) => page.locator(selector).boundingBox();
  for (const width of isMobile ? [360] : [768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/");
    const release = await holdRequests(page, /\/video\/v1\.data/);
    await page.mouse.wheel(0, 200);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100);
    // A click by Playwright would scroll back to the card.
    const link = page.locator(cards).first().getByRole("link").first();
    await link.evaluate((element: HTMLElement) => element.click());
    await expect(page.getByText("Loading video...")).toBeAttached();
    const skeleton = await boxOf(".watch-picture");
    release();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 1");
    expect(await boxOf(".player"), `${width} px`).toEqual(skeleton);
    expect(await shifts()).toEqual([]);
  }
});

test("Share copies the address, without the way back", async ({ page, site, context, baseURL }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await fill(site, 1);
  await page.addInitScript(() => Object.assign(navigator, { share: undefined }));
  await page.goto("/video/v1?from=trending&page=2");
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByText("Link copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${baseURL}/video/v1`);
});

test("Share uses the device where it can", async ({ page, site, baseURL }) => {
  await fill(site, 1);
  await page.addInitScript(() => {
    Object.assign(navigator, {
      share: (what: unknown) => {
        document.title = JSON.stringify(what);
        return Promise.resolve();
      },
    });
  });
  await page.goto("/video/v1");
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page).toHaveTitle(JSON.stringify({ title: "Video 1", url: `${baseURL}/video/v1` }));
});

test("another video starts at the top with a player of its own", async ({ page, site }) => {
  const clip = fs.readFileSync(mp4Clip(5));
  await fill(site, 12, (number) => ({
    video_url: site.addFile("videos", `u/${number}.mp4`, clip),
  }));
  await page.goto("/video/v1");
  const player = page.locator("main article video");
  await player.evaluate((video: HTMLVideoElement) => {
    video.muted = true;
    return video.play();
  });
  await expect
    .poll(() => player.evaluate((video: HTMLVideoElement) => video.currentTime))
    .toBeGreaterThan(0.2);
  const last = page.getByRole("complementary").getByRole("link").last();
  await last.scrollIntoViewIfNeeded();
  await last.click();
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Video 1");
  expect(await scrolled(page)).toBe(0);
  expect(
    await player.evaluate((video: HTMLVideoElement) => [video.currentTime, video.paused]),
  ).toEqual([0, true]);
});

test("Surprise me shows each video once in a visit", async ({ page, site }) => {
  await fill(site, 3);
  await page.goto("/");
  const seen = new Set<string>();
  for (let press = 0; press < 3; press++) {
    await page.getByRole("link", { name: "Surprise me" }).click();
    await expect(page).toHaveURL(/\/video\/v\d/);
    seen.add(new URL(page.url()).pathname);
    await page.getByRole("link", { name: "Back", exact: true }).click();
    await expect(page).toHaveURL("/");
  }
  expect([...seen].sort()).toEqual(["/video/v1", "/video/v2", "/video/v3"]);
});

test("what is up next is put in another order with the keyboard and by dragging", async ({
  page,
  site,
}) => {
  await fill(site, 4);
  await page.goto("/video/v1");
  const upNext = page.getByRole("group").filter({ hasText: "Up next" });
  const rows = upNext.getByRole("listitem");
  await upNext.locator("summary").press("Enter");
  await expect(rows).toHaveCount(3);
  const names = () => rows.getByRole("link").allTextContents();
  const [first, second, third] = (await names()) as [string, string, string];
  await page.getByRole("button", { name: `Move ${first} down` }).press("Enter");
  await expect.poll(names).toEqual([second, first, third]);
  await expect(page.getByRole("button", { name: `Move ${first} down` })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect.poll(names).toEqual([second, third, first]);
  await expectNoViolations(page);
  await rows.nth(2).dragTo(rows.nth(0));
  await expect.poll(names).toEqual([first, second, third]);
  await page.getByRole("button", { name: `Move ${second} up` }).click();
  await page.getByRole("button", { name: `Move ${first} down` }).click();
  await expect.poll(names).toEqual([second, third, first]);
  await page.getByRole("button", { name: `Remove ${second}` }).press("Enter");
  await expect.poll(names).toEqual([third, first]);
  // It lasts for the visit: the next page goes on with what is left.
  await page.reload();
  await upNext.locator("summary").press("Enter");
  await expect.poll(names).toEqual([third, first]);
  await rows.getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(third);
  await expect.poll(names).toEqual([first]);
});
