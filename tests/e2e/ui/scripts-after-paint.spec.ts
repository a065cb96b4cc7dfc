import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import { holdRequests } from "../hold-requests";
import { expect, test } from "../site";

/** Returns the scripts that the page has requested so far, in order. */
function recordScripts(page: Page): string[] {
  const requested: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/assets\/.*\.m?js$/.test(pathname)) requested.push(pathname);
  });
  return requested;
}

/** Emulates a browser that never paints, or a background tab. */
async function neverPaints(page: Page, hidden: boolean): Promise<void> {
  await page.addInitScript((isHidden) => {
    PerformanceObserver.prototype.observe = () => {};
    Object.defineProperty(document, "hidden", { get: () => isHidden });
  }, hidden);
}

async function expectInteractive(page: Page): Promise<void> {
  await page.clock.resume();
  await page.locator("article").first().hover();
  await expect(page.getByRole("button", { name: /^Save/ }).first()).toBeVisible();
}

test.beforeEach(({ site }) => fill(site, 2));

test("no script is requested before the first paint", async ({ page, site }) => {
  site.database().exec("UPDATE videos SET hls_url = '/media/videos/u/1/hls-1/master.m3u8'");
  const requested = recordScripts(page);
  const paint = await holdRequests(page, "**/*.css");
  const arrived = page.waitForEvent("requestfinished", (request) => request.isNavigationRequest());
  await page.goto("/video/v1", { waitUntil: "commit" });
  // Preloads are requested during parsing. Only the style sheet is still pending.
  await arrived;
  await page.waitForTimeout(500);
  expect(requested).toEqual([]);
  await paint();
  await expect.poll(() => requested.some((name) => name.includes("/hls-"))).toBe(true);
  await expect(page.locator("[data-seek-bar]")).toBeAttached();
  // hls.js is requested after all scripts that make the page interactive.
  const own = requested.findIndex((name) => name.includes("/entry.client-"));
  expect(own).toBeGreaterThanOrEqual(0);
  expect(requested.findIndex((name) => name.includes("/hls-"))).toBeGreaterThan(own);
});

test("a page in a background tab loads its scripts immediately", async ({ page }) => {
  await neverPaints(page, true);
  await page.clock.install();
  const requested = recordScripts(page);
  await page.goto("/", { waitUntil: "load" });
  await page.clock.runFor(100);
  await expect.poll(() => requested.length).toBeGreaterThan(0);
  await expectInteractive(page);
});

test("a page without a paint event loads its scripts after three seconds", async ({ page }) => {
  await neverPaints(page, false);
  await page.clock.install();
  const requested = recordScripts(page);
  await page.goto("/", { waitUntil: "load" });
  await page.clock.runFor(1_000);
  expect(requested).toEqual([]);
  await page.clock.runFor(2_000);
  await expect.poll(() => requested.length).toBeGreaterThan(0);
  await expectInteractive(page);
});
