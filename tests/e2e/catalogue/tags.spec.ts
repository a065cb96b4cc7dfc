import { fill } from "../../fill-catalogue";
import { expect, test } from "../site";

const cards = "main article";

test("clicking a video's tag opens the tag's list, and Back returns to the video", async ({
  page,
  site,
}) => {
  await fill(site, 20, (number) => ({ tags: number % 2 ? '["One Take", "evening"]' : null }));
  await page.goto("/video/v1");
  await page.getByRole("list", { name: "Tags" }).getByRole("link", { name: "One Take" }).click();
  await expect(page).toHaveURL("/tags/One%20Take");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Videos tagged “One Take”");
  await expect(page.getByText("10 videos", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL("/tags/One%20Take?page=2");
  await expect(page.locator(cards)).toHaveCount(2);

  await page.locator(cards).last().getByRole("link").first().click();
  await expect(page).toHaveURL("/video/v19?from=tags&tag=One+Take&page=2");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/tags/One%20Take?page=2");
});

test("the list page for a tag opens, no matter which characters the tag contains", async ({
  page,
  site,
}) => {
  const tags = ["AC/DC", "50%2F50", "what? #1", "x.data", "🎬", "v1.0", '"a" OR b*'];
  await fill(site, 1, () => ({ tags: JSON.stringify(tags) }));
  await page.goto("/video/v1");
  const heading = page.getByRole("heading", { level: 1 });
  for (const tag of tags) {
    await page.getByRole("list", { name: "Tags" }).getByRole("link", { name: tag }).click();
    await expect(heading).toHaveText(`Videos tagged “${tag}”`);
    await expect(page.locator(cards)).toHaveCount(1);
    await page.goBack();
    await expect(heading).toHaveText("Video 1");
  }
});
