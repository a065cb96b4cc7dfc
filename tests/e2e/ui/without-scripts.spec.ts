import fs from "node:fs";
import { mp4Clip } from "../../clips";
import { fill } from "../fill-catalogue";
import { expect, signIn, test } from "../site";

test.use({ javaScriptEnabled: false });

const cards = "main article";

test("search, category, pages and the way back work without scripts @phone", async ({
  page,
  site,
}) => {
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

  // A search in a category stays in it.
  await page.getByPlaceholder("Search videos by title or tags...").fill("nothing like it");
  await page.getByPlaceholder("Search videos by title or tags...").press("Enter");
  await page.getByRole("button", { name: "Clear Search" }).click();
  await expect(page).toHaveURL("/?category=english");
});

test("the selected category is on the screen of a phone", async ({ page, site }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await fill(site, 1, () => ({ category: "premium" }));
  await page.goto("/?category=premium");
  const selected = page.getByRole("navigation", { name: "Video categories" }).getByText("Premium");
  await expect(selected).toBeInViewport({ ratio: 1 });
});

test("a video has the browser's own player, and its view is counted once", async ({
  page,
  site,
}) => {
  const video_url = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
  await fill(site, 1, () => ({ video_url }));
  await page.goto("/video/v1");
  await expect(page.locator("main article video")).toHaveAttribute("controls", "");
  // What needs scripts is not offered.
  await expect(page.getByRole("button", { name: "Share" })).toHaveCount(0);
  const views = site.database().prepare("SELECT views FROM videos").pluck();
  await expect.poll(() => views.get()).toBe(1);
  await page.reload();
  await expect.poll(() => views.get()).toBe(2);
});

test("the menu opens, and leads on @phone", async ({ page, site }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await fill(site, 1, () => ({ views: 1 }));
  await page.goto("/");
  const menu = page.getByRole("banner");
  await expect(menu.getByRole("link", { name: "Trending" })).toBeHidden();
  await menu.locator("summary").click();
  await menu.getByRole("link", { name: "Trending" }).click();
  await expect(page).toHaveURL("/trending");
  await expect(menu.getByRole("link", { name: "Trending" })).toBeHidden();
});

test("a contact message comes back as a mail, or with what is missing @phone", async ({ page }) => {
  await page.goto("/contact");
  await page.getByLabel("Name").fill("Ann");
  await page.getByRole("button", { name: "Send Message" }).click();
  await expect(page.getByText("Please tell us where to answer.")).toBeVisible();
  await expect(page.getByLabel("Name")).toHaveValue("Ann");
  await page.getByLabel("Email").fill("ann@example.com");
  await page.getByLabel("Subject").fill("Hello");
  await page.getByLabel("Message").fill("Is this yours?");
  await page.getByRole("button", { name: "Send Message" }).click();
  await expect(page.getByText("has not been sent yet")).toBeVisible();
  await expect(page.getByRole("link", { name: "Open it as a mail" })).toHaveAttribute(
    "href",
    /^mailto:contact@.*subject=Hello/,
  );
});

test("nothing is kept free for what only scripts make work, and a dialog shows all of itself @phone", async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await fill(site, 2, () => ({ description: "A walk." }));
  const topOf = async (text: string) => (await page.getByText(text).first().boundingBox())!.y;
  await page.goto("/video/v1");
  expect((await topOf("A walk.")) - (await topOf("1 day ago"))).toBeLessThan(100);
  await page.goto("/");
  const choices = page.getByRole("form", { name: "Order and length" });
  const left = async (name: string) => (await choices.getByLabel(name).boundingBox())!.x;
  const show = await choices.getByRole("button", { name: "Show" }).boundingBox();
  expect(show!.x).toBe(await left("Sort by"));

  await signIn(page);
  await page.goto("/admin?tab=manage&edit=v1");
  const cut = await page
    .getByRole("dialog")
    .evaluate((dialog) => dialog.scrollHeight - dialog.clientHeight);
  expect(cut).toBe(0);
});
