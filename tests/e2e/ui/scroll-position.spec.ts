import type { Page } from "playwright/test";
import { isHydrated } from "../../browsers/hydrated";
import { fill } from "../../fill-catalogue";
import { holdRequests } from "../hold-requests";
import { expect, test } from "../site";

const scrolled = (page: Page) => page.evaluate(() => window.scrollY);

/** Scrolls with the mouse wheel, and returns the scroll position once scrolling has stopped. */
async function scrollBy(page: Page, pixels: number): Promise<number> {
  const until = (await scrolled(page)) + pixels;
  await page.mouse.wheel(0, pixels);
  await expect.poll(() => scrolled(page)).toBe(until);
  return until;
}

test.beforeEach(({ site }) => fill(site, 20));

test("a refresh while the visitor is scrolling doesn't change the scroll position", async ({
  page,
  site,
}) => {
  await page.goto("/", { waitUntil: "networkidle" });
  for (const title of ["The first", "The second"]) {
    const release = await holdRequests(page, /_root\.data/);
    const request = page.waitForRequest(/_root\.data/);
    const answered = page.waitForResponse(/_root\.data/);
    site.addVideo({ title, created_at: new Date().toISOString() });
    await request;
    const there = await scrollBy(page, 150);
    await release();
    await answered;
    await expect(page.getByRole("button", { name: /new video/ })).toBeInViewport();
    expect(await scrolled(page)).toBe(there);
  }
});

test("Back restores the scroll position, and another page starts at the top", async ({ page }) => {
  await page.goto("/", { waitUntil: "networkidle" });
  const there = await scrollBy(page, 250);
  await page.getByRole("article").last().getByRole("link").click();
  await expect(page).toHaveURL(/\/video\//);
  await expect.poll(() => scrolled(page)).toBe(0);
  await page.goBack();
  await expect(page).toHaveURL("/");
  await expect.poll(() => scrolled(page)).toBe(there);
});

test("a reload restores the scroll position, and scrolling before hydration isn't undone", async ({
  page,
}) => {
  await page.goto("/", { waitUntil: "networkidle" });
  const there = await scrollBy(page, 150);
  const release = await holdRequests(page, /\/assets\/.*\.js/);
  await page.reload({ waitUntil: "commit" });
  await expect.poll(() => scrolled(page)).toBe(there);
  const further = await scrollBy(page, 100);
  await release();
  await expect.poll(() => page.evaluate(isHydrated)).toBe(true);
  expect(await scrolled(page)).toBe(further);
});
