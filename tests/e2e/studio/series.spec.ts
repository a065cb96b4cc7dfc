import type { Page } from "playwright/test";
import { overflow } from "../../page-layout";
import type { SiteProcess } from "../../site-process";
import { TouchScreen } from "../player/touch-screen";
import { expect, expectNoViolations, signIn, test } from "../site";

const rows = (page: Page) =>
  page.getByRole("list", { name: "Videos in the series" }).getByRole("listitem");
const order = (site: SiteProcess) =>
  site
    .database()
    .prepare(
      "SELECT group_concat(video_id, '') FROM (SELECT * FROM series_videos ORDER BY position)",
    )
    .pluck()
    .get();

const TITLES: Record<string, string> = { a: "Aurora", b: "Beach", c: "Cinema" };

test("creates, fills, reorders and plays a series", async ({ page, site }) => {
  site.database().exec("DELETE FROM series");
  for (const [id, title] of Object.entries(TITLES)) site.addVideo({ id, title });
  await signIn(page);
  await page.goto("/admin?tab=manage");
  await page.getByRole("link", { name: "Series", exact: true }).click();
  await page.getByLabel("New series").fill("Nights out");
  await page.getByRole("button", { name: "Create series" }).click();
  await expect(page.getByText("No videos in this series yet.")).toBeVisible();
  await page.getByRole("link", { name: "Choose videos" }).click();
  for (const title of ["Aurora", "Beach", "Cinema"]) {
    await page.getByRole("checkbox", { name: `Select ${title}` }).check();
  }
  const bar = page.getByRole("form", { name: "Selected videos" });
  await bar.getByLabel("Bulk actions").selectOption("Add to series");
  await bar.getByLabel("Series", { exact: true }).fill("Nights out");
  await bar.getByRole("button", { name: "Apply" }).click();
  const preview = page.getByRole("dialog", { name: "Add to series" });
  await expect(preview).toContainText("3 videos will change.");
  await expect(preview.getByRole("row", { name: /Aurora/ })).toContainText("in “Nights out”");
  await preview.getByRole("button", { name: "Apply to 3 videos" }).click();
  await expect(page.getByText("Added 3 videos to the series.")).toBeVisible();
  expect(order(site)).toBe("cba");

  await page.getByRole("link", { name: "Series", exact: true }).click();
  await page.getByRole("link", { name: "Nights out" }).click();
  await page.getByRole("button", { name: "Move Aurora up" }).click();
  await expect(rows(page).nth(1)).toContainText("Aurora");
  await page.getByLabel("Position of Cinema").fill("3");
  await page.getByLabel("Position of Cinema").press("Enter");
  await expect(rows(page).nth(2)).toContainText("Cinema");
  await expect.poll(() => order(site)).toBe("abc");
  await expectNoViolations(page);
  expect(await overflow(page)).toEqual({ sideways: 0, outside: [] });
  await page.getByLabel("Visibility").selectOption("Public");
  await page.getByLabel("Description").fill("One after the other");
  await page.getByRole("button", { name: "Save series" }).click();
  await expect(page.getByText("Your changes were saved.")).toBeVisible();

  await page.getByRole("link", { name: "/series/nights-out" }).click();
  await expect(page.getByRole("heading", { name: "Nights out" })).toBeVisible();
  await page.getByRole("link", { name: "Play all" }).click();
  const list = page.getByRole("region", { name: "Nights out" });
  await expect(list).toContainText("1 of 3 videos");
  await expectNoViolations(page);
  await list.getByRole("link", { name: "Beach" }).click();
  await expect(list).toContainText("2 of 3 videos");
  await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", /\/video\/b$/);
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL(/\/series\/nights-out/);
});

test("reorders videos by entering a number or pressing a button repeatedly, and updates another tab", async ({
  page,
  site,
}) => {
  await openOrdered(page, site, "abc");
  await page.getByLabel("Position of Aurora").fill("3");
  await page.getByLabel("Position of Aurora").press("Enter");
  await expect(rows(page).nth(2)).toContainText("Aurora");
  await expect.poll(() => order(site)).toBe("bca");
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(rows(other)).toHaveCount(3);
  await page.bringToFront();
  await page.getByRole("button", { name: "Move Aurora up" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Move Aurora up" })).toBeFocused();
  await expect.poll(() => order(site)).toBe("abc");
  await expect(rows(other).nth(0)).toContainText("Aurora");

  await page.getByRole("link", { name: "Delete series" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No series yet. Create one to group videos.")).toBeVisible();
  await expect(other.getByText("This series no longer exists.").first()).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rows(page)).toHaveCount(3);
});

test("ignores an outdated response that arrives after a change", async ({ page, site }) => {
  await openOrdered(page, site, "abc");
  let requestCount = 0;
  let sendLatePage = () => {};
  const lateResponse = new Promise<void>((resolve) => {
    sendLatePage = resolve;
  });
  // Each published event makes the page send another request, so the numbers of requests are minimums.
  await page.route(/\/admin\/series\/\d+.*data/, async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const response = await route.fetch();
    requestCount++;
    if (requestCount === 1) await lateResponse;
    await route.fulfill({ response });
  });
  site.addVideo({ id: "z", title: "Added by another tool" });
  await expect.poll(() => requestCount).toBe(1);
  await page.getByRole("button", { name: "Move Aurora down" }).click();
  await expect.poll(() => order(site)).toBe("bac");
  await expect(rows(page).nth(0)).toContainText("Beach");
  const firstRows = await firstRowsFromNow(page);
  await expect.poll(() => requestCount).toBeGreaterThanOrEqual(2);
  sendLatePage();
  await expect.poll(() => requestCount).toBeGreaterThanOrEqual(3);
  await page.getByRole("button", { name: "Move Aurora down" }).click();
  await expect.poll(() => order(site)).toBe("bca");
  await expect.poll(() => titles(page)).toEqual(["Beach", "Cinema", "Aurora"]);
  expect(await firstRows()).toEqual([]);
  // Another page request may still be pending when the test ends.
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

/** Returns a function that returns the titles that the first row has shown since its title first changed. */
async function firstRowsFromNow(page: Page): Promise<() => Promise<(string | undefined)[]>> {
  const list = page.getByRole("list", { name: "Videos in the series" });
  const found = await list.evaluateHandle((element) => {
    const first = () => element.querySelector("a")?.textContent ?? undefined;
    const titles = [first()];
    new MutationObserver(() => {
      if (first() !== titles.at(-1)) titles.push(first());
    }).observe(element, { childList: true, subtree: true });
    return titles;
  });
  return () => found.evaluate((all) => all.slice(1));
}

/** Creates a series with one video per character. */
async function openOrdered(page: Page, site: SiteProcess, ids: string): Promise<void> {
  const database = site.database();
  database.exec(`
    DELETE FROM series;
    INSERT INTO series (id, title, slug) VALUES (1, 'Nights out', 'nights-out');
    INSERT INTO series_slugs (slug, series_id) VALUES ('nights-out', 1)`);
  const put = database.prepare("INSERT INTO series_videos VALUES (1, ?, ?)");
  for (const [position, id] of [...ids].entries()) {
    site.addVideo({ id, title: TITLES[id] ?? `Video ${id}` });
    put.run(id, position);
  }
  await signIn(page);
  await page.goto("/admin/series/1");
  await expect(rows(page)).toHaveCount(ids.length);
  await rows(page).nth(2).scrollIntoViewIfNeeded();
}

const gripOf = (page: Page, title: string) =>
  rows(page).filter({ hasText: title }).locator("[data-grip]");
async function middle(page: Page, title: string): Promise<{ x: number; y: number }> {
  const box = (await gripOf(page, title).boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
const titles = (page: Page) =>
  rows(page).evaluateAll((all) => all.map((row) => row.querySelector("a")?.textContent));
const dragged = (page: Page) => page.locator("[data-dragged]");

test("reorders videos with the mouse, except after a canceled drag", async ({ page, site }) => {
  await openOrdered(page, site, "abc");
  const [from, to] = [await middle(page, "Aurora"), await middle(page, "Cinema")];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await expect(dragged(page)).toContainText("Aurora");
  await page.mouse.up();
  expect(await titles(page)).toEqual(["Beach", "Cinema", "Aurora"]);
  await expect(page.getByText("Aurora: 3 of 3")).toBeAttached();
  await expect.poll(() => order(site)).toBe("bca");

  const back = await middle(page, "Beach");
  await page.mouse.move(to.x, to.y);
  await page.mouse.down();
  await page.mouse.move(back.x, back.y, { steps: 5 });
  await expect(dragged(page)).toContainText("Aurora");
  await page.keyboard.press("Escape");
  await expect(dragged(page)).toHaveCount(0);
  await page.mouse.up();
  // Neither another mouse button nor a click without movement starts a drag.
  await page.mouse.click(to.x, to.y);
  await page.mouse.down({ button: "right" });
  await page.mouse.move(back.x, back.y, { steps: 5 });
  await expect(dragged(page)).toHaveCount(0);
  await page.mouse.up({ button: "right" });
  expect(await titles(page)).toEqual(["Beach", "Cinema", "Aurora"]);
  expect(order(site)).toBe("bca");
});

test("scrolls the page when a row is dragged to the edge of the window", async ({ page, site }) => {
  await openOrdered(page, site, "abcdefghijklmnopqrst");
  await gripOf(page, "Aurora").scrollIntoViewIfNeeded();
  const from = await middle(page, "Aurora");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x, page.viewportSize()!.height - 4, { steps: 5 });
  await expect(rows(page).last()).toBeInViewport({ ratio: 1 });
  await expect
    .poll(() => page.evaluate(() => window.scrollY + window.innerHeight + 1))
    .toBeGreaterThan(await page.evaluate(() => document.documentElement.scrollHeight));
  await page.mouse.up();
  await expect.poll(() => order(site)).toBe("bcdefghijklmnopqrsta");
});

test.describe("on a touch screen", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });

  test("reorders videos by their handles, and scrolls when the page is touched elsewhere", async ({
    page,
    site,
  }) => {
    await openOrdered(page, site, "abc");
    const finger = await TouchScreen.of(page);
    const [from, to] = [await middle(page, "Cinema"), await middle(page, "Aurora")];
    const scrolled = await page.evaluate(() => window.scrollY);
    await finger.swipe(from, to, { stay: true });
    await expect(dragged(page)).toContainText("Cinema");
    expect(await page.evaluate(() => window.scrollY)).toBe(scrolled);
    await finger.up();
    expect(await titles(page)).toEqual(["Cinema", "Aurora", "Beach"]);
    await expect.poll(() => order(site)).toBe("cab");

    const thumbnail = (await rows(page).first().locator("img").boundingBox())!;
    const beside = { x: thumbnail.x + 40, y: thumbnail.y + 20 };
    await finger.swipe(beside, { ...beside, y: beside.y + 200 });
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeLessThan(scrolled);
    await expect(dragged(page)).toHaveCount(0);
    expect(order(site)).toBe("cab");
  });
});
