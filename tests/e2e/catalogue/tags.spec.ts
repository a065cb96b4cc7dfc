import { fill } from "../../fill-catalogue";
import { expect, test } from "../site";

const cards = "main article";

test("a tag of a video leads to its list, and Back from there to it", async ({ page, site }) => {
  await fill(site, 20, (number) => ({ tags: number % 2 ? '["One Take", "evening"]' : null }));
  await page.goto("/video/v1");
  await page.getByRole("list", { name: "Tags" }).getByRole("link", { name: "One Take" }).click();
  await expect(page).toHaveURL("/tags/one%20take");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Videos tagged “one take”");
  await expect(page.getByText("10 videos", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL("/tags/one%20take?page=2");
  await expect(page.locator(cards)).toHaveCount(2);

  await page.locator(cards).last().getByRole("link").first().click();
  await expect(page).toHaveURL("/video/v19?from=tags&tag=one+take&page=2");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/tags/one%20take?page=2");
});

test("a tag of any signs is found by a click and by its address", async ({ page, site }) => {
  const tags = ["AC/DC", "50%2F50", "what? #1", "x.data", "🎬", "v1.0", '"a" OR b*'];
  await fill(site, 1, () => ({ tags: JSON.stringify(tags) }));
  for (const tag of tags) {
    await page.goto("/video/v1");
    await page.getByRole("list", { name: "Tags" }).getByRole("link", { name: tag }).click();
    const heading = page.getByRole("heading", { level: 1 });
    await expect(heading).toHaveText(`Videos tagged “${tag.toLowerCase()}”`);
    await expect(page.locator(cards)).toHaveCount(1);
    expect((await page.reload())?.status()).toBe(200);
    await expect(heading).toHaveText(`Videos tagged “${tag.toLowerCase()}”`);
    await expect(page.locator(cards)).toHaveCount(1);
  }
});

test("a tag that no video has says so, and offers a search", async ({ page, site }) => {
  await fill(site, 2, () => ({ title: "Quiet evening" }));
  expect((await page.goto("/tags/evening"))?.status()).toBe(404);
  await expect(page.getByText("No videos found with this tag.")).toBeVisible();
  await page.getByRole("link", { name: "Search for this text" }).click();
  await expect(page).toHaveURL("/?search=evening");
  await expect(page.locator(cards)).toHaveCount(2);
});

test("another spelling leads to the one address of a tag", async ({ page, site }) => {
  await fill(site, 1, () => ({ tags: '["HD"]' }));
  await page.goto("/tags/HD");
  await expect(page).toHaveURL("/tags/hd");
  await expect(page.locator(cards)).toHaveCount(1);
});
