import type { Page } from "playwright/test";
import type { SiteProcess } from "../../site-process";
import { expect, signIn, test } from "../site";

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
  await page.getByLabel("Select all videos on this page").check();
  const bar = page.getByRole("form", { name: "Selected videos" });
  await bar.getByLabel("Bulk actions").selectOption("delete");
  await bar.getByRole("button", { name: "Apply" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 3 videos?" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(dialog).toHaveCount(0);
}

test("an admin restores videos in another tab and with the keyboard, and permanently deletes a video", async ({
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

  await test.step("the list in this tab is updated after a change in another tab", async () => {
    const other = await page.context().newPage();
    await other.goto("/admin/trash");
    await other.getByRole("button", { name: "Restore Aurora" }).click();
    await expect(other.getByText("“Aurora” restored.")).toBeVisible();
    await expect(entry(page, "Aurora")).toHaveCount(0);
    expect(titles(site)).toEqual(["Aurora"]);
    await other.close();
  });
  await test.step("videos are selected and restored with the keyboard", async () => {
    await expect(page.getByRole("button", { name: "Delete permanently" })).toBeHidden();
    await page.getByLabel("Select Cinema").focus();
    await page.keyboard.press("Space");
    await expect(page.getByText("1 selected")).toBeVisible();
    await page.getByRole("button", { name: "Restore", exact: true }).focus();
    await page.keyboard.press("Enter");
    await expect(page.getByText("“Cinema” restored.")).toBeVisible();
    expect(titles(site)).toEqual(["Aurora", "Cinema"]);
  });
  await page.getByLabel("Select Beach").check();
  await expect(page.getByText("1 selected")).toBeVisible();
  await page.getByRole("button", { name: "Delete permanently" }).click();
  const dialog = page.getByRole("dialog", { name: "Permanently delete this video?" });
  await expect(dialog).toContainText("This can’t be undone.");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("1 video was permanently deleted.")).toBeVisible();
  await expect(entry(page, "Beach")).toHaveCount(0);
});
