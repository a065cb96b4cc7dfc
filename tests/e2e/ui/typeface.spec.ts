import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import { expect, test } from "../site";

/** Returns the position and height of each block on the page, keyed by its text. */
const blocks = (page: Page) =>
  page.locator("h1, h2, h3, main p, main a, main button").evaluateAll((elements) =>
    elements
      .filter((element) => element.checkVisibility() && element.textContent)
      .map((element) => {
        const { top, height } = element.getBoundingClientRect();
        return { text: element.textContent, top, height };
      }),
  );

/** How far a block may move, in pixels. This is less than the height of a line. */
const MAX_PIXELS = 2;

test("no line of text moves when the web font loads", async ({ page, site }) => {
  await fill(site, 12, (index) => ({ title: `Evening by the sea, part ${index}` }));
  await page.setViewportSize({ width: 412, height: 823 });
  for (const url of ["/", "/video/v1"]) {
    await page.goto(url);
    await page.evaluate(() => document.fonts.ready);
    expect(await page.evaluate(() => document.fonts.check('16px "Figtree"'))).toBe(true);
    const after = await blocks(page);
    expect(after.length).toBeGreaterThan(5);
    await page.route(/\.woff2/, (route) => route.abort());
    await page.goto(url);
    const before = await blocks(page);
    await page.unroute(/\.woff2/);
    expect(before).toHaveLength(after.length);
    const moved = after.filter(({ top, height }, index) =>
      [top - before[index]!.top, height - before[index]!.height].some(
        (pixels) => Math.abs(pixels) > MAX_PIXELS,
      ),
    );
    expect(moved).toEqual([]);
  }
});
