import type { Page } from "playwright/test";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, signIn, test } from "../site";

const MANAGE = "/admin?tab=manage";
const entry = (page: Page, title: string) =>
  page
    .getByRole("list", { name: "Videos in the trash" })
    .getByRole("listitem")
    .filter({ hasText: title });
const titles = (site: SiteProcess) =>
  site.database().prepare("SELECT title FROM videos ORDER BY title").pluck().all();

async function deleteAll(page: Page, site: SiteProcess): Promise<void> {
  site.database().exec("DELETE FROM deleted_videos");
  for (const title of ["Aurora", "Beach", "Cinema"]) site.addVideo({ id: title, title });
  await signIn(page);
  await page.goto(MANAGE);
  for (const title of ["Aurora", "Beach", "Cinema"]) {
    await page.getByRole("link", { name: `Delete ${title}` }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("For 30 days the trash has all of it, to be restored.");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(dialog).toHaveCount(0);
  }
}

test("what was deleted is restored, deleted for good, and the rest emptied", async ({
  page,
  site,
}) => {
  await deleteAll(page, site);
  await page
    .getByRole("region", { name: "Recently deleted" })
    .getByRole("link", { name: "Trash" })
    .click();
  await expect(page.getByRole("heading", { name: "Trash" })).toBeVisible();
  await expect(page.getByText("3 videos, 0.0 MB")).toBeVisible();
  await expectNoViolations(page);

  await page.getByRole("button", { name: "Restore Aurora" }).click();
  await expect(page.getByText("“Aurora” is back, files included.")).toBeVisible();
  await expect(entry(page, "Aurora")).toHaveCount(0);
  expect(titles(site)).toEqual(["Aurora"]);

  await page.getByLabel("Select Beach").check();
  await expect(page.getByText("1 selected")).toBeVisible();
  await page.getByRole("button", { name: "Delete for good" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this video for good?" });
  await expect(dialog).toContainText("This can't be undone.");
  await expectNoViolations(page);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("1 video was deleted for good.")).toBeVisible();
  await expect(entry(page, "Beach")).toHaveCount(0);

  await page.getByLabel("Search the trash").fill("nothing");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByText("No videos found.")).toBeVisible();
  await page.getByRole("link", { name: "Show all of the trash" }).click();
  await expect(entry(page, "Cinema")).toBeVisible();

  await page.getByRole("link", { name: "Empty trash" }).click();
  await expect(page).toHaveURL(/empty=1/);
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("The trash is empty.")).toBeVisible();
  await expect(page).toHaveURL(/\/admin\/trash$/);
  await page.goto("/admin/activity");
  await expect(page.getByText("emptied the trash of 1 video").first()).toBeVisible();
});

test("two tabs: what the other has restored is told, and nothing is lost", async ({
  page,
  site,
}) => {
  await deleteAll(page, site);
  await page.goto("/admin/trash");
  const other = await page.context().newPage();
  await other.goto("/admin/trash");
  await other.getByRole("button", { name: "Restore Aurora" }).click();
  await expect(entry(other, "Aurora")).toHaveCount(0);
  // The list of this tab follows by itself.
  await expect(entry(page, "Aurora")).toHaveCount(0);
  expect(titles(site)).toEqual(["Aurora"]);
});

test("the keyboard alone selects and restores", async ({ page, site }) => {
  await deleteAll(page, site);
  await page.goto("/admin/trash");
  await expect(page.getByRole("button", { name: "Delete for good" })).toBeHidden();
  await page.getByLabel("Select Cinema").focus();
  await page.keyboard.press("Space");
  await expect(page.getByText("1 selected")).toBeVisible();
  await page.getByRole("button", { name: "Restore", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("“Cinema” is back, files included.")).toBeVisible();
  expect(titles(site)).toEqual(["Cinema"]);
});
