import { fill } from "../../fill-catalogue";
import { expect, expectNoViolations, test } from "../site";

test.use({ siteEnvironment: { AGE_GATE: "on" } });

test("the age gate is shown once, works with the keyboard, and doesn't load any image before the visitor answers", async ({
  page,
  site,
}) => {
  await fill(site, 10);
  const images: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "image" && request.url().includes("/media/")) {
      images.push(request.url());
    }
  });
  await page.goto("/categories/desi?page=2", { waitUntil: "networkidle" });
  const dialog = page.getByRole("dialog", { name: "Are you 18 or over?" });
  await expect(dialog).toBeVisible();
  await expect(page.getByRole("main")).toBeHidden();
  await expect(page.locator("main img:visible")).toHaveCount(0);
  await expectNoViolations(page);
  expect(images).toEqual([]);

  await page.keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Enter" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/categories/desi?page=2");
  await expect(dialog).toHaveCount(0);
  await expect(page.locator("main article").first()).toBeVisible();
  await expect.poll(() => images.length).toBeGreaterThan(0);

  await page.goto("/trending");
  await expect(page.getByRole("main")).toBeVisible();
  await expect(dialog).toHaveCount(0);
});

test("a link from a legal page to the videos opens the dialog, whose “Leave” button leaves the site", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await page.goto("/privacy");
  await page.getByRole("link", { name: "Trending" }).first().click();
  await expect(page).toHaveURL("/trending");
  await expect(page.getByRole("dialog", { name: "Are you 18 or over?" })).toBeVisible();
  await expect(page.getByRole("main")).toBeHidden();
  await page.getByRole("link", { name: "Privacy" }).click();
  await expect(page.getByRole("main")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("link", { name: "Trending" }).first().click();
  await page.getByRole("link", { name: "Leave" }).click();
  await expect(page).toHaveURL("about:blank");
});

test("a view is counted only once, and only after the visitor has passed the age gate", async ({
  page,
  site,
}) => {
  await fill(site, 1);
  const views = site.database().prepare("SELECT views FROM videos").pluck();
  await page.goto("/video/v1", { waitUntil: "networkidle" });
  await page.getByRole("button", { name: "Enter" }).click();
  await expect(page.getByText("1 view", { exact: true })).toBeVisible();
  await expect.poll(() => views.get()).toBe(1);
});

test.describe("with a service worker", () => {
  test.use({ serviceWorkers: "allow" });

  test("nothing is stored before the visitor answers", async ({ page, site }) => {
    await fill(site, 2);
    const state = () =>
      page.evaluate(async () => ({
        workers: (await navigator.serviceWorker.getRegistrations()).length,
        caches: (await caches.keys()).length,
      }));
    await page.goto("/", { waitUntil: "networkidle" });
    expect(await state()).toEqual({ workers: 0, caches: 0 });
    await page.getByRole("button", { name: "Enter" }).click();
    await expect(page.locator("main article").first()).toBeVisible();
    await expect.poll(state).toEqual({ workers: 1, caches: 1 });
  });
});
