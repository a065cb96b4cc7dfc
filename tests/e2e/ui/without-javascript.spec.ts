import { fill } from "../../fill-catalogue";
import { expect, signIn, test } from "../site";

test.use({ javaScriptEnabled: false });

const cards = "main article";

test("search, categories, pages and Back work without JavaScript", async ({ page, site }) => {
  await fill(site, 30, (number) => ({ category: number % 3 ? "english" : "desi" }));
  await page.goto("/");
  const box = page.getByPlaceholder("Search videos by title or tags...");
  await box.fill("video");
  await box.press("Enter");
  await expect(page).toHaveURL("/?search=video");
  await page.getByRole("navigation", { name: "Video categories" }).getByText("English").click();
  await expect(page).toHaveURL("/?search=video&category=english");
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL("/?search=video&category=english&page=2");
  await expect(page.locator(cards)).toHaveCount(8);
  await page.locator(cards).nth(5).getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 20");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/?search=video&category=english&page=2#video-v20");
  await expect(page.locator("#video-v20")).toBeInViewport();

  // A search within a category stays in that category.
  await page.getByPlaceholder("Search videos by title or tags...").fill("nothing like it");
  await page.getByPlaceholder("Search videos by title or tags...").press("Enter");
  await page.getByRole("button", { name: "Clear Search" }).click();
  await expect(page).toHaveURL("/?category=english");
});

test("on a phone, elements that need JavaScript take up no space and nothing is cut off", async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await fill(site, 12, () => ({ description: "A walk.", category: "premium", tags: '["beach"]' }));
  const topOf = async (text: string) => (await page.getByText(text).first().boundingBox())!.y;

  await test.step("on a list page", async () => {
    await page.goto("/?category=premium");
    const categories = page.getByRole("navigation", { name: "Video categories" });
    await expect(categories.getByText("Premium")).toBeInViewport({ ratio: 1 });
    const choices = page.getByRole("form", { name: "Sort and filter" });
    const filters = (await choices.getByText("Filters").boundingBox())!;
    const show = (await choices.getByRole("button", { name: "Show" }).boundingBox())!;
    expect([show.y, show.x - filters.x - filters.width]).toEqual([filters.y, 8]);
    await expect(page.locator(".continue-watching")).toBeHidden();
    await expect(page.getByRole("button", { name: /^(Save|Hide watched)/ })).toHaveCount(0);
  });

  await test.step("in the menu", async () => {
    const menu = page.getByRole("banner");
    await expect(menu.getByRole("link", { name: "Trending" })).toBeHidden();
    await menu.locator("summary").click();
    await menu.getByRole("link", { name: "Trending" }).click();
    await expect(page).toHaveURL("/trending");
    await expect(menu.getByRole("link", { name: "Trending" })).toBeHidden();
  });

  await test.step("on a video page", async () => {
    await page.goto("/video/v1");
    expect((await topOf("A walk.")) - (await topOf("1 day ago"))).toBeLessThan(100);
    await expect(page.getByRole("button", { name: /^(Save|Share)$/ })).toHaveCount(0);
  });

  await signIn(page);
  await test.step("in the studio's list", async () => {
    await page.goto("/admin?tab=manage");
    await expect(page.getByRole("form", { name: "Selected videos" })).toHaveCSS(
      "position",
      "static",
    );
    // The column header for the checkboxes, which need JavaScript, doesn't leave a gap above the cards.
    const count = (await page.getByText("12 videos", { exact: true }).boundingBox())!;
    const first = (await page.getByRole("row").nth(1).boundingBox())!;
    expect(first.y - (count.y + count.height)).toBeLessThan(56);
  });

  await test.step("in a dialog", async () => {
    await page.goto("/admin?tab=manage&edit=v1");
    const cut = await page
      .getByRole("dialog")
      .evaluate((dialog) => dialog.scrollHeight - dialog.clientHeight);
    expect(cut).toBe(0);
  });
});
