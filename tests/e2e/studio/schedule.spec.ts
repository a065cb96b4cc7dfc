import type { Page } from "playwright/test";
import { expect, expectNoViolations, signIn, test } from "../site";

test.use({ timezoneId: "Asia/Kolkata" });

const MANAGE = "/admin?tab=manage";
const row = (page: Page) => page.getByRole("row").filter({ hasText: "A film" });
const NEXT_YEAR = new Date().getUTCFullYear() + 1;

test("a video is scheduled in the time of the browser, found by the filter, and appears by itself @phone", async ({
  page,
  site,
}) => {
  site.addVideo({ id: "v", title: "A film", status: "hidden" });
  const stored = () => site.database().prepare("SELECT publish_at FROM videos").pluck().get();
  await signIn(page);
  await page.goto(MANAGE);
  await page.getByRole("link", { name: "Schedule A film" }).click();
  const dialog = page.getByRole("dialog", { name: "Schedule Video" });
  await expect(dialog).toContainText("Your time, Asia/Calcutta.");
  await expectNoViolations(page);

  await dialog.getByLabel("Publish at").fill("2020-01-01T10:00");
  await dialog.getByRole("button", { name: "Save schedule" }).click();
  await expect(dialog).toContainText("This moment has passed. Choose a later one.");
  await expect(dialog.getByLabel("Publish at")).toHaveValue("2020-01-01T10:00");
  expect(stored()).toBeNull();

  await dialog.getByLabel("Publish at").fill(`${NEXT_YEAR}-01-01T10:00`);
  await dialog.getByRole("button", { name: "Save schedule" }).click();
  await expect(dialog).toBeHidden();
  expect(stored()).toBe(`${NEXT_YEAR}-01-01T04:30:00.000Z`);
  await expect(row(page)).toContainText(`Publishes Jan 1, ${NEXT_YEAR}, 10:00`);

  await page.getByLabel("Status").selectOption("Scheduled");
  await expect(page).toHaveURL(/status=scheduled/);
  await expect(row(page)).toBeVisible();
  await expectNoViolations(page);

  await page.goto("/");
  await expect(page.getByText("A film")).toHaveCount(0);
  const soon = new Date(Date.now() + 1_000).toISOString();
  site.database().prepare("UPDATE videos SET publish_at = ?").run(soon);
  await expect(page.getByRole("article").filter({ hasText: "A film" })).toBeVisible();
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("a video is scheduled in UTC, and what is wrong is said once", async ({ page, site }) => {
    site.addVideo({ id: "v", title: "A film" });
    await signIn(page);
    await page.goto(MANAGE);
    await page.getByRole("link", { name: "Schedule A film" }).click();
    await expect(page.getByLabel("Publish at")).toHaveCount(0);
    await page.getByLabel("Hide at").fill("2020-01-01T10:00");
    await page.getByRole("button", { name: "Save schedule" }).click();
    await expect(page.getByText("This moment has passed.")).toHaveCount(1);
    await expect(page.getByText("Failed to schedule video.")).toHaveCount(1);
    await expect(page.getByLabel("Hide at")).toHaveValue("2020-01-01T10:00");
    await page.getByLabel("Hide at").fill(`${NEXT_YEAR}-06-01T10:00`);
    await page.getByRole("button", { name: "Save schedule" }).click();
    await expect(row(page)).toContainText(`Hides Jun 1, ${NEXT_YEAR}, 10:00 AM UTC`);
  });
});
