import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import type { SiteProcess } from "../../site-process";
import { expect, test } from "../site";

const cards = "main article";

/** Adds 12 videos that last from 1 to 11 minutes and one hour. The longer a video is, the fewer views it has. */
async function addVideos(site: SiteProcess): Promise<void> {
  await fill(site, 12, (number) => ({
    duration: number === 12 ? "1:00:00" : `${number}:00`,
    views: 100 - number,
    category: number % 2 ? "english" : "desi",
  }));
}

const sort = (page: Page) => page.getByRole("combobox", { name: "Sort by" });
const length = (page: Page) => page.getByRole("combobox", { name: "Length" });

/** Selects an option repeatedly until the page changes, because selecting has no effect before hydration. */
async function choose(page: Page, choice: () => Promise<unknown>, url: string) {
  await expect(async () => {
    await choice();
    await expect(page).toHaveURL(url, { timeout: 3_000 });
  }).toPass();
}

test("the sort order and length filter are kept across pages, categories and Back", async ({
  page,
  site,
}) => {
  await addVideos(site);
  await page.goto("/?page=2");
  await choose(page, () => sort(page).selectOption("Longest"), "/?sort=longest");
  await expect(page.locator(cards).first()).toContainText("Video 12");
  await expect(page.locator(cards).nth(1)).toContainText("Video 11");
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL("/?sort=longest&page=2");
  await expect(page.locator(cards)).toHaveCount(4);

  await length(page).selectOption("Under 5 minutes");
  await expect(page).toHaveURL("/?sort=longest&length=short");
  await expect(page.getByText("4 videos", { exact: true })).toBeVisible();
  await page.getByRole("navigation", { name: "Video categories" }).getByText("English").click();
  await expect(page).toHaveURL("/?category=english&sort=longest&length=short");
  await expect(page.locator(cards)).toHaveCount(2);

  await page.locator(cards).first().getByRole("link").click();
  await expect(page).toHaveURL("/video/v3?from=home&category=english&sort=longest&length=short");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/?category=english&sort=longest&length=short");
  await expect(sort(page)).toHaveValue("longest");

  await sort(page).selectOption("Newest");
  await expect(page).toHaveURL("/?category=english&length=short");
  await length(page).selectOption("Any length");
  await expect(page).toHaveURL("/?category=english");
  await page.goBack();
  await expect(length(page)).toHaveValue("short");
});

test("watched videos can be hidden, and a page that contains only watched videos keeps its pager", async ({
  page,
  site,
}) => {
  await addVideos(site);
  await page.addInitScript(() => {
    if (localStorage.getItem("visitor")) return;
    localStorage.setItem("visitor", '{"resume":[["v2",90]],"watched":["v3"]}');
  });
  await page.goto("/");
  await expect(page.locator(cards)).toHaveCount(8);
  const toggle = page.getByRole("button", { name: "Hide watched" });
  await toggle.click();
  await expect(page.locator(cards)).toHaveCount(6);
  await expect(page.getByText("2 watched videos hidden on this page")).toBeVisible();
  await expect(page.locator(cards).filter({ hasText: "Video 2" })).toHaveCount(0);
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.locator(cards)).toHaveCount(4);
  await expect(page.getByText("watched video")).toHaveCount(0);
  await page.getByRole("link", { name: "Previous" }).click();
  await expect(page.locator(cards)).toHaveCount(6);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.locator(cards)).toHaveCount(8);
  await expect(toggle).toHaveAttribute("aria-pressed", "false");

  await page.evaluate(() => {
    const ids = Array.from({ length: 8 }, (_, i) => `v${i + 1}`);
    localStorage.setItem("visitor", JSON.stringify({ watched: ids }));
  });
  await page.reload();
  await toggle.click();
  await expect(page.locator(cards)).toHaveCount(0);
  await expect(page.getByText("You’ve watched everything on this page.")).toBeVisible();
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.locator(cards)).toHaveCount(4);
});
