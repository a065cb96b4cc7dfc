import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import { holdRequests } from "../hold-requests";
import { recordShifts } from "../layout-shifts";
import { expect, expectNoViolations, test } from "../site";

const cards = "main article";

/** Returns the scroll position of the page. */
const scrolled = (page: Page) => page.evaluate(() => Math.round(window.scrollY));

test("Back returns to the same list, page and scroll position", async ({ page, site }) => {
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

  // Back returns to the list even after another video has been opened.
  await page.getByRole("complementary").getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Video 14");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/categories/english?page=2");
  await expect(page.locator(cards).first()).toContainText("Video 9");
  await expect.poll(() => scrolled(page)).toBe(before);
});

test("a video page that loads slowly shows a skeleton whose player has the final size and position @phone", async ({
  page,
  site,
  isMobile,
}) => {
  await fill(site, 8);
  const shifts = await recordShifts(page);
  const boxOf = async (selector: string) => page.locator(selector).boundingBox();
  await page.setViewportSize({ width: isMobile ? 360 : 1440, height: 900 });
  await page.goto("/");
  const release = await holdRequests(page, /\/video\/v1\.data/);
  await page.mouse.wheel(0, 200);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100);
  // Playwright's click would scroll the card into view again.
  const link = page.locator(cards).first().getByRole("link").first();
  await link.evaluate((element: HTMLElement) => element.click());
  await expect(page.getByText("Loading video...")).toBeAttached();
  const skeleton = await boxOf(".watch-player");
  await release();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 1");
  expect(await boxOf(".player")).toEqual(skeleton);
  expect(await shifts()).toEqual([]);
});

test("Up next can be reordered with the keyboard and by dragging", async ({ page, site }) => {
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
  // The tab stores the order, so the next page continues with the remaining videos.
  await page.reload();
  await upNext.locator("summary").press("Enter");
  await expect.poll(names).toEqual([third, first]);
  await rows.getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(third);
  await expect.poll(names).toEqual([first]);
});
