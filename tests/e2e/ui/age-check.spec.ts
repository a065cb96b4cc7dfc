import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import {
  type AgeCheckProvider,
  PROVIDER_SECRET,
  startAgeCheckProvider,
} from "../../integration/trust/age-check-provider";
import { test as base, expect, expectNoViolations } from "../site";

/** The provider is another site on this machine, so the redirects are real. */
const test = base.extend<object, { provider: AgeCheckProvider }>({
  provider: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright determines the required fixtures from it.
    async ({}, use) => {
      const provider = await startAgeCheckProvider();
      await use(provider);
      await provider.close().catch(() => {});
    },
    { scope: "worker" },
  ],
  siteEnvironment: async ({ provider }, use) =>
    use({
      AGE_GATE: "on",
      COUNTRY_HEADER: "X-Country",
      COUNTRY_RULES: "FR=check,IT=closed",
      AGE_CHECK_URL: provider.url,
      AGE_CHECK_SECRET: PROVIDER_SECRET,
    }),
});
test.use({ extraHTTPHeaders: { "X-Country": "FR" } });

const checkPage = (page: Page) => page.getByRole("heading", { name: "Age check required" });

test("a visitor in a country with age checks is checked once, can use the keyboard, and returns to the page", async ({
  page,
  site,
}) => {
  await fill(site, 10);
  const media: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/media/")) media.push(request.url());
  });
  // Having answered the age gate isn't enough here.
  await page.context().addCookies([{ name: "age", value: "18", url: site.url }]);
  await page.goto("/categories/desi?page=2");
  await expect(checkPage(page)).toBeVisible();
  await expect(page.getByText("tell us only whether you’re 18 or over")).toBeVisible();
  expect(media).toEqual([]);

  await page.getByRole("link", { name: "Check my age" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "How old are you?" })).toBeVisible();
  await page.getByRole("link", { name: "I am 18 or over" }).click();
  await expect(page).toHaveURL("/categories/desi?page=2");
  await expect(page.locator("main article").first()).toBeVisible();
  await page.goto("/trending");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Trending");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("an open page redirects to the check, and visitors who fail it see a message and can try again", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await page.goto("/privacy", { waitUntil: "networkidle" });
  await page.getByRole("banner").getByRole("link", { name: "Trending" }).first().click();
  await expect(checkPage(page)).toBeVisible();
  await expect(page).toHaveURL(/\/age-check\?to=%2Ftrending$/);

  await page.getByRole("link", { name: "Check my age" }).click();
  await page.getByRole("link", { name: "I am younger" }).click();
  await expect(page.getByRole("alert")).toContainText("did not confirm that you are 18 or over");
  await expectNoViolations(page);
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByRole("link", { name: "I would rather not say" }).click();
  await expect(page.getByRole("alert")).toHaveText(
    "The age check wasn’t completed. Please try again.",
  );
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByRole("link", { name: "I am 18 or over" }).click();
  await expect(page).toHaveURL("/trending");
});

test.describe("in a blocked country", () => {
  test.use({ extraHTTPHeaders: { "X-Country": "IT" } });

  test("a visitor sees a message and can still read the legal pages", async ({ page }) => {
    const response = await page.goto("/video/v1");
    expect(response?.status()).toBe(451);
    await expect(
      page.getByRole("heading", { name: "Afterdark is not available in your country or region" }),
    ).toBeVisible();
    await expectNoViolations(page);
    await page.getByRole("link", { name: "Privacy" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Privacy" })).toBeVisible();
  });
});
