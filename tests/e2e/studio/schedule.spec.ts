import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import { expect, expectNoViolations, signIn, test } from "../site";

test.use({ timezoneId: "Asia/Kolkata" });

const MANAGE = "/admin?tab=manage";
const row = (page: Page) => page.getByRole("row").filter({ hasText: "A video" });
const NEXT_YEAR = new Date().getUTCFullYear() + 1;

test("schedules a video in the browser's time zone, and publishes it automatically", async ({
  page,
  site,
}) => {
  site.addVideo({ id: "v", title: "A video", status: "hidden" });
  const stored = () => site.database().prepare("SELECT publish_at FROM videos").pluck().get();
  await signIn(page);
  await page.goto(MANAGE);
  await page.getByRole("link", { name: "Schedule A video" }).click();
  const dialog = page.getByRole("dialog", { name: "Schedule video" });
  await expect(dialog).toContainText("Time zone: Asia/Calcutta.");
  await expectNoViolations(page);

  await dialog.getByLabel("Publish at").fill("2020-01-01T10:00");
  await dialog.getByRole("button", { name: "Save schedule" }).click();
  await expect(dialog).toContainText("That time is in the past. Choose a later one.");
  await expect(dialog.getByLabel("Publish at")).toHaveValue("2020-01-01T10:00");
  expect(stored()).toBeNull();

  await dialog.getByLabel("Publish at").fill(`${NEXT_YEAR}-01-01T10:00`);
  await dialog.getByRole("button", { name: "Save schedule" }).click();
  await expect(dialog).toBeHidden();
  expect(stored()).toBe(`${NEXT_YEAR}-01-01T04:30:00.000Z`);
  await expect(row(page)).toContainText(`Publishes Jan 1, ${NEXT_YEAR}, 10:00`);

  await page.goto("/");
  await expect(page.getByRole("article")).toHaveCount(0);
  const soon = new Date(Date.now() + 1_000).toISOString();
  site.database().prepare("UPDATE videos SET publish_at = ?").run(soon);
  await expect(page.getByRole("article").filter({ hasText: "A video" })).toBeVisible();
});

test("keeps an upload as a draft until its publish time in the browser's time zone", async ({
  page,
  site,
}) => {
  await signIn(page);
  await page.goto("/admin");
  await page.locator("input[name=video]").setInputFiles(mp4Clip(5));
  await page.getByLabel("Title").fill("A video");
  await page.getByLabel("Description").fill("Along the river.");
  await page.getByLabel("Category").selectOption("desi");
  await page.getByText("Schedule", { exact: true }).click();
  await page.getByLabel("Publish at").fill(`${NEXT_YEAR}-01-01T10:00`);
  await page.getByRole("button", { name: /^Upload/ }).click();
  await expect(page.getByText("It will be published at the scheduled time.")).toBeVisible();
  expect(site.database().prepare("SELECT status, publish_at FROM videos").all()).toEqual([
    { status: "review", publish_at: `${NEXT_YEAR}-01-01T04:30:00.000Z` },
  ]);
  // The form has been cleared.
  await expect(page.getByLabel("Publish at")).toBeHidden();
  await page.reload();
  await expect(page.getByLabel("Title")).toHaveValue("");
  await expect(page.getByLabel("Publish at")).toHaveValue("");
});

test("schedules many videos at once, and sorts them by the next scheduled time", async ({
  page,
  site,
}) => {
  site.addVideo({ id: "v", title: "A video", status: "hidden" });
  site.addVideo({ id: "w", title: "Another", status: "hidden" });
  site.addVideo({
    id: "x",
    title: "Sooner",
    status: "hidden",
    publish_at: `${NEXT_YEAR - 1}-12-31T23:00:00.000Z`,
  });
  await signIn(page);
  await page.goto(MANAGE);
  for (const title of ["A video", "Another"]) await page.getByLabel(`Select ${title}`).check();
  const bar = page.getByRole("form", { name: "Selected videos" });
  await bar.getByLabel("Bulk actions").selectOption("Schedule");
  await bar.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("Enter a time to publish or hide the videos.")).toBeVisible();
  await bar.getByLabel("Publish at").fill(`${NEXT_YEAR}-01-01T10:00`);
  await bar.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Apply to 2 videos" }).click();
  await expect(page.getByText("Scheduled 2 videos.")).toBeVisible();
  await expect(row(page)).toContainText(`Publishes Jan 1, ${NEXT_YEAR}, 10:00`);
  await page.getByRole("combobox", { name: "Status" }).selectOption("Scheduled");
  await page.getByLabel("Sort by").selectOption("Next scheduled");
  await expect(page).toHaveURL(/sort=schedule/);
  await expect(page.getByRole("row").nth(1)).toContainText("Sooner");
});
