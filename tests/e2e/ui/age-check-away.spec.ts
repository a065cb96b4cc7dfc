import { PROVIDER_SECRET } from "../../integration/trust/age-check-provider";
import { expect, test } from "../site";

test.use({
  siteEnvironment: {
    COUNTRY_HEADER: "X-Country",
    COUNTRY_RULES: "FR=check",
    // The port for discarding, where nothing listens.
    AGE_CHECK_URL: "http://127.0.0.1:9/check",
    AGE_CHECK_SECRET: PROVIDER_SECRET,
  },
  extraHTTPHeaders: { "X-Country": "FR" },
});

test("while the provider is away a visitor is told, and may try again", async ({ page }) => {
  await page.goto("/trending");
  await page.getByRole("link", { name: "Check my age" }).click();
  await expect(page.getByRole("alert")).toContainText("cannot be reached at the moment");
  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page.getByRole("alert")).toContainText("cannot be reached at the moment");
  await expect(page).toHaveURL("/age-check?problem=away&to=%2Ftrending");
});
