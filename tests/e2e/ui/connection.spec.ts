import type { Page, Route } from "playwright/test";
import { fill } from "../../fill-catalogue";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, signIn, test } from "../site";

const cards = "main article";
const LIST_DATA = /\/(_root|trending|categories[^?]*)\.data/;

const first = (page: Page) => page.locator(cards).first();
const notice = (page: Page) => page.getByRole("alert");
const retry = (page: Page) => page.getByRole("button", { name: "Retry", exact: true });

/** Runs a function while the site can't read its videos. */
async function withoutVideosTable(site: SiteProcess, task: () => Promise<void>): Promise<void> {
  site.database().exec("ALTER TABLE videos RENAME TO videos_hidden");
  try {
    await task();
  } finally {
    site.database().exec("ALTER TABLE videos_hidden RENAME TO videos");
  }
}

/** Opens a page and waits until it is hydrated and has preloaded the scripts of the other lists. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  const modules = page.locator('link[rel="modulepreload"][href*="/trending-"]');
  await expect(modules.first()).toBeAttached();
  await page.waitForLoadState("networkidle");
}

test("when the browser goes offline, the list shows an error, and recovers once the connection is back", async ({
  page,
  site,
  context,
}) => {
  await fill(site, 20, () => ({ views: 1 }));
  await open(page, "/");
  for (const [leave, arrived, url] of [
    [() => page.getByRole("link", { name: "Next" }).click(), "Video 9", "/?page=2"],
    [
      () =>
        page.getByRole("navigation", { name: "Video categories" }).getByText("Trending").click(),
      "Video 1",
      "/trending",
    ],
  ] as const) {
    const before = page.url();
    await context.setOffline(true);
    await leave();
    await expect(notice(page)).toContainText("Error loading videos: You are offline.");
    await expect(page.locator(cards)).toHaveCount(0);
    await expect(retry(page)).toBeVisible();
    await expect(page.getByText("Loading videos...")).toHaveCount(0);
    expect(page.url()).toBe(before);
    if (url === "/trending") await expectNoViolations(page);
    await context.setOffline(false);
    await expect(page).toHaveURL(url);
    await expect(first(page)).toContainText(arrived);
    await expect(notice(page)).toHaveCount(0);
  }
});

test("a search or a video requested while offline opens once the connection is back", async ({
  page,
  site,
  context,
}) => {
  await fill(site, 12);
  await open(page, "/");
  await context.setOffline(true);
  await page.getByRole("searchbox").fill("video 12");
  await expect(notice(page)).toContainText("Error loading videos: You are offline.");
  await expect(page.getByRole("searchbox")).toHaveValue("video 12");
  await expect(page.locator(cards)).toHaveCount(0);
  await context.setOffline(false);
  await expect(page.locator(cards)).toHaveCount(1);

  await context.setOffline(true);
  await first(page).click();
  await expect(notice(page)).toContainText("Error loading the page: You are offline.");
  await expect(page.getByText("Loading video...")).toHaveCount(0);
  await context.setOffline(false);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 12");
});

test("after a request is aborted or fails, the visitor can retry it or leave the list", async ({
  page,
  site,
}) => {
  await fill(site, 20);
  await open(page, "/categories/desi");
  const breakOff = (route: Route) => route.abort();
  const refuse = (route: Route) => route.fulfill({ status: 503, body: "Busy" });
  await page.route(LIST_DATA, breakOff);
  await page.getByRole("link", { name: "Next" }).click();
  await expect(notice(page)).toContainText("Error loading videos: Failed to fetch videos.");
  await expect(notice(page)).toHaveCount(1);
  await expect(page.locator(cards)).toHaveCount(0);
  await expect(page.getByRole("navigation", { name: "Pages" })).toHaveCount(0);
  await page.unroute(LIST_DATA, breakOff);
  await page.route(LIST_DATA, refuse);
  const rejected = page.waitForResponse(LIST_DATA);
  await retry(page).click();
  expect((await rejected).status()).toBe(503);
  await expect(retry(page)).toBeVisible();
  await expect(notice(page)).toContainText("Error loading videos: Failed to fetch videos.");
  await page.unroute(LIST_DATA, refuse);
  await retry(page).click();
  await expect(first(page)).toContainText("Video 9");
  await expect(notice(page)).toHaveCount(0);

  await page.route(LIST_DATA, refuse);
  await page.goBack();
  await expect(notice(page)).toBeVisible();
  await page.getByRole("link", { name: "Privacy" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Privacy");
  await expect(notice(page)).toHaveCount(0);
});

test("a list that the site can't load shows an error, even on a full page load", async ({
  page,
  site,
}) => {
  await fill(site, 20);
  await withoutVideosTable(site, async () => {
    const response = await page.goto("/?category=desi");
    expect(response?.status()).toBe(500);
    await expect(page.getByText(/^Error loading videos: Failed to fetch videos\./)).toBeVisible();
  });
  await retry(page).click();
  await expect(page.locator(cards)).toHaveCount(8);
  await expect(page).toHaveURL("/?category=desi");

  await withoutVideosTable(site, async () => {
    await page.getByRole("link", { name: "Next" }).click();
    await expect(notice(page)).toContainText("Error loading videos: Failed to fetch videos.");
    await expect(page.locator(cards)).toHaveCount(0);
    await expect(page).toHaveURL("/?category=desi");
  });
  // The next change to the catalogue reloads the list.
  site.database().exec("UPDATE videos SET title = 'Changed' WHERE id = 'v1'");
  await expect(page).toHaveURL("/?category=desi&page=2");
  await expect(first(page)).toContainText("Video 9");
});

test("the list stays visible if a live refresh fails, and the refresh can be retried", async ({
  page,
  site,
}) => {
  await fill(site, 3);
  await open(page, "/");
  await page.route(LIST_DATA, (route) => route.abort());
  site.addVideo({ title: "Brand new" });
  await expect(notice(page)).toContainText("Error loading videos: Failed to fetch videos.");
  await expect(page.locator(cards)).toHaveCount(3);
  await page.unroute(LIST_DATA);
  await retry(page).click();
  await expect(first(page)).toContainText("Brand new");
  await expect(notice(page)).toHaveCount(0);
});

test("an open page stays visible when its data can't be refreshed, and is updated once the data is available again", async ({
  page,
  site,
}) => {
  await fill(site, 3);
  await signIn(page);
  const retitle = (table: string) =>
    site.database().exec(`UPDATE ${table} SET title = title || '!' WHERE id = 'v1'`);
  for (const [path, content, reason] of [
    ["/", page.getByText("Video 1!"), "Error loading videos: Failed to fetch videos."],
    [
      "/admin/statistics",
      page.getByRole("heading", { name: "Statistics", level: 1 }),
      "Error loading the page: The site returned an error.",
    ],
  ] as const) {
    retitle("videos");
    await open(page, path);
    await withoutVideosTable(site, async () => {
      retitle("videos_hidden");
      await expect(notice(page)).toContainText(reason);
      await expect(content).toBeVisible();
    });
    retitle("videos");
    await expect(notice(page)).toHaveCount(0);
    await expect(content).toBeVisible();
  }
});

test("the admin's list of videos also stays visible when the browser is offline", async ({
  page,
  site,
  context,
}) => {
  await fill(site, 3);
  await signIn(page);
  await page.goto("/admin?tab=manage", { waitUntil: "networkidle" });
  await context.setOffline(true);
  await page.getByRole("combobox", { name: "Status" }).selectOption("hidden");
  await expect(notice(page)).toContainText("Error loading the page: You are offline.");
  await expect(page.getByRole("link", { name: "Video 1", exact: true })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText("No videos found.")).toBeVisible();
});
