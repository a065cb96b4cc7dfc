import { fill } from "./catalogue";
import { expect, test } from "./site";

test("a visitor saves videos, finds them again and takes them out @phone", async ({
  page,
  site,
}) => {
  await fill(site, 4);
  await page.goto("/saved");
  await expect(page.getByText("Nothing saved yet.")).toBeVisible();

  for (const id of ["v1", "v3"]) {
    await page.goto(`/video/${id}`);
    const save = page.getByRole("button", { name: "Save", exact: true });
    await expect(save).toHaveAttribute("aria-pressed", "false");
    await save.click();
    await expect(save).toHaveAttribute("aria-pressed", "true");
  }
  await expect(page.getByText("In this browser only")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("button", { name: "Save", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );

  await page.getByRole("contentinfo").getByRole("link", { name: "Saved Videos" }).click();
  const cards = page.locator("main article");
  await expect(cards).toHaveText([/Video 3/, /Video 1/]);
  await cards.last().getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 1");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/saved");

  await page.getByRole("button", { name: "Remove Video 3" }).click();
  await expect(cards).toHaveText([/Video 1/]);
  await page.reload();
  await expect(cards).toHaveText([/Video 1/]);
});

test("what is no longer public is said to be gone, and can be taken out", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await page.addInitScript(() => {
    if (!localStorage.getItem("saved-videos")) {
      localStorage.setItem("saved-videos", '["v2","v1","never"]');
    }
  });
  site.database().exec("UPDATE videos SET status = 'hidden' WHERE id = 'v1'");
  await page.goto("/saved");
  await expect(page.locator("main article")).toHaveText([/Video 2/]);
  await expect(page.getByText("2 saved videos are no longer available.")).toBeVisible();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("no longer available")).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem("saved-videos"))).toBe('["v2"]');
});

test("many come some at a time; a failure is said, and tried again", async ({ page, site }) => {
  await fill(site, 30);
  const all = Array.from({ length: 30 }, (_, n) => `v${n + 1}`);
  await page.addInitScript((ids) => localStorage.setItem("saved-videos", JSON.stringify(ids)), all);
  await page.route("**/saved/videos?*", (route) => route.abort(), { times: 1 });
  await page.goto("/saved");
  await expect(page.getByText("Error loading videos: Failed to fetch videos.")).toBeVisible();
  await page.getByRole("button", { name: "Retry" }).click();
  const cards = page.locator("main article");
  await expect(cards).toHaveCount(24);
  await page.getByRole("button", { name: "Show More" }).click();
  await expect(cards).toHaveCount(30);
  await expect(page.getByRole("button", { name: "Show More" })).toHaveCount(0);
});

test("two tabs have one list", async ({ page, context, site }) => {
  await fill(site, 1);
  await page.goto("/saved");
  const other = await context.newPage();
  await other.goto("/video/v1");
  await other.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.locator("main article")).toHaveText([/Video 1/]);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the page says what it needs, and the button is not there", async ({ page, site }) => {
    await fill(site, 1);
    await page.goto("/saved");
    const sentence = page.locator("main noscript p").first();
    await expect(sentence).toBeVisible();
    await expect(sentence).toHaveText("Saved videos need scripts.");
    await page.goto("/video/v1");
    await expect(page.getByRole("button", { name: "Save", exact: true })).toHaveCount(0);
  });
});
