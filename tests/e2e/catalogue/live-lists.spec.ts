import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, test } from "../site";

const card = (page: Page, title: string) =>
  page
    .getByRole("article")
    .filter({ has: page.getByRole("heading", { name: title, exact: true }) });
const top = (page: Page, title: string) =>
  card(page, title).evaluate((element) => element.getBoundingClientRect().top);

function add(site: SiteProcess, title: string): void {
  site.addVideo({ title, created_at: new Date().toISOString() });
}

/** Scrolls down to a card, and returns the card's position. */
async function scrollTo(page: Page, title: string): Promise<number> {
  await page.waitForLoadState("networkidle");
  await card(page, title).evaluate((element) => element.scrollIntoView({ block: "center" }));
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  return top(page, title);
}

test("in a scrolled list, counts are updated, a hidden video is withdrawn in place, and new videos are added only on request", async ({
  page,
  site,
}) => {
  await fill(site, 20);
  await page.goto("/");
  const changed = page.getByRole("button", { name: "This list was updated" });
  const before = await scrollTo(page, "Video 7");
  await test.step("counts are updated", async () => {
    // A change on another page of the list also refreshes the counts.
    site.database().exec("UPDATE videos SET views = 41 WHERE id = 'v7'");
    site.database().exec("UPDATE videos SET title = 'Renamed' WHERE id = 'v20'");
    await expect(card(page, "Video 7")).toContainText("41 views");
    await expect(changed).toHaveCount(0);
  });
  await test.step("a hidden video is withdrawn", async () => {
    site.database().exec("UPDATE videos SET status = 'hidden' WHERE id = 'v5'");
    await expect(changed).toBeInViewport();
    await expect(page.getByText("No longer available")).toBeVisible();
    await expect(page.getByRole("link", { name: "Video 5" })).toHaveCount(0);
    expect(await top(page, "Video 7")).toBe(before);
    // Videos that have moved to another page of the list are still shown here.
    await expect(page.getByRole("article")).toHaveCount(7);
    await changed.click();
    await expect(page.getByText("No longer available")).toHaveCount(0);
    await expect(page.getByRole("article")).toHaveCount(8);
  });
  await test.step("new videos are added only when the visitor presses a button, and nothing moves", async () => {
    const there = await scrollTo(page, "Video 7");
    add(site, "Brand new");
    await expect(page.getByRole("button", { name: "1 new video", exact: true })).toBeInViewport();
    add(site, "Newer still");
    const button = page.getByRole("button", { name: "2 new videos", exact: true });
    await expect(button).toBeInViewport();
    expect(await top(page, "Video 7")).toBe(there);
    await expect(page.getByRole("article").first()).toContainText("Video 1");
    await expectNoViolations(page);

    await button.click();
    await expect(page.getByRole("article").first()).toContainText("Newer still");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    await expect(button).toHaveCount(0);
  });
});

test("at the top of the page, a new video is shown immediately unless the focus is in the list", async ({
  page,
  site,
}) => {
  await fill(site, 8);
  await page.goto("/", { waitUntil: "networkidle" });
  add(site, "At once");
  await expect(page.getByRole("article").first()).toContainText("At once");
  await expect(page.getByRole("button", { name: /new video/ })).toHaveCount(0);

  const link = card(page, "Video 2").getByRole("link");
  await link.focus();
  add(site, "Brand new");
  await expect(page.getByRole("button", { name: "1 new video", exact: true })).toBeVisible();
  await expect(link).toBeFocused();
  // Moving the focus between cards counts as still reading the list.
  await page.keyboard.press("Tab");
  await expect(card(page, "Video 2").getByRole("button", { name: /^Save/ })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(card(page, "Video 3").getByRole("link")).toBeFocused();
  await expect(page.getByRole("article").first()).toContainText("At once");
  await page.getByRole("searchbox").focus();
  await expect(page.getByRole("article").first()).toContainText("Brand new");
});

test("a video page isn't refetched when the catalogue changes", async ({ page, site, context }) => {
  await fill(site, 2);
  await page.goto("/video/v1");
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes(".data")) requests.push(request.url());
  });
  const list = await context.newPage();
  await list.goto("/");
  site.database().exec("UPDATE videos SET title = 'Renamed' WHERE id = 'v1'");
  await expect(list.getByText("Renamed")).toBeVisible();
  await page.bringToFront();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 1");
  expect(requests).toEqual([]);
});
