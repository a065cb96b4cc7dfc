import type { Locator } from "playwright/test";
import sharp from "sharp";
import { fill } from "../../fill-catalogue";
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

test("in forced colours a conversion's progress keeps its colours", async ({ page, site }) => {
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
  // The colours at a quarter and at three quarters of the bar, half of which is done.
  const colours = async () => {
    const picture = sharp(await page.getByRole("progressbar").screenshot());
    const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
    return [0.25, 0.75].map((share) => {
      const at =
        (Math.floor(info.height / 2) * info.width + Math.floor(share * info.width)) * info.channels;
      return [...data.subarray(at, at + 3)];
    });
  };
  const usual = await colours();
  expect(usual[0]).not.toEqual(usual[1]);
  await page.emulateMedia({ forcedColors: "active" });
  expect(await colours()).toEqual(usual);
});
