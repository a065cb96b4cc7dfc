import type { Locator } from "playwright/test";
import { fill } from "../fill-catalogue";
import { expect, signIn, test } from "../site";

const MANAGE = "/admin?tab=manage&search=video";

const topOf = async (locator: Locator) => (await locator.boundingBox())?.y;

for (const width of [360, 740]) {
  test(`what filters and counts stands in whole lines on a screen of ${width} pixels`, async ({
    page,
    site,
  }) => {
    await fill(site, 3, () => ({ views: 41_234_567 }));
    await signIn(page);
    await page.setViewportSize({ width, height: 740 });
    await page.goto(MANAGE);
    const main = page.getByRole("main");
    const show = await topOf(main.getByRole("button", { name: "Show", exact: true }));
    expect(await topOf(main.getByRole("link", { name: "Clear" }))).toBe(show);
    const lines = await main
      .getByText("123,703,701")
      .evaluate(
        (number) =>
          number.getClientRects()[0]!.height /
          Number.parseFloat(getComputedStyle(number).lineHeight),
      );
    expect(Math.round(lines)).toBe(1);
    await expect(main.getByText("Select all", { exact: true })).toBeVisible();
    await page.setViewportSize({ width: 1_440, height: 900 });
    await expect(main.getByText("Select all", { exact: true })).toBeHidden();
  });
}

test("in forced colours a conversion's progress is drawn by the browser", async ({
  page,
  site,
}) => {
  await fill(site, 1);
  site
    .database()
    .prepare(
      `INSERT OR REPLACE INTO jobs (video_id, kind, priority, state, progress, lease_until)
       VALUES ('v1', 'ladder', 1, 'running', 0.5, '2099-01-01T00:00:00.000Z')`,
    )
    .run();
  await signIn(page);
  await page.goto("/admin/queue");
  const appearance = () =>
    page.getByRole("progressbar").evaluate((bar) => getComputedStyle(bar).appearance);
  expect(await appearance()).toBe("none");
  await page.emulateMedia({ forcedColors: "active" });
  expect(await appearance()).toBe("auto");
});
