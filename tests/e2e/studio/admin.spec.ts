import type { Page } from "playwright/test";
import type { SiteProcess } from "../../site-process";
import { holdRequests } from "../hold-requests";
import { expect, signIn, test } from "../site";

const row = (page: Page, title: string) => page.getByRole("row").filter({ hasText: title });

function addThree(site: SiteProcess) {
  const day = (n: number) => `2024-01-0${n}T00:00:00.000Z`;
  site.addVideo({ id: "c", title: "Cinema", status: "review", created_at: day(1) });
  site.addVideo({ id: "b", title: "Beach", status: "hidden", created_at: day(2) });
  site.addVideo({ id: "a", title: "Aurora", tags: '["night"]', created_at: day(3) });
}

test("an admin edits, hides, shows and deletes videos, and undoes the deletion", async ({
  page,
  site,
}) => {
  addThree(site);
  await signIn(page);
  await page.goto("/admin");
  await page.getByRole("link", { name: "Manage Videos" }).click();
  await expect(page.getByRole("row")).toHaveCount(4);

  await row(page, "Aurora").getByRole("link", { name: "Edit Aurora" }).click();
  const dialog = page.getByRole("dialog");
  const update = dialog.getByRole("button", { name: "Update" });
  await expect(update).toBeEnabled();
  await dialog.getByLabel("Title").fill("  ");
  await expect(update).toBeDisabled();
  await dialog.getByLabel("Title").fill("Aurora borealis");
  await dialog.getByLabel("Tags").fill("north, , sky");
  await dialog.getByLabel("Duration").fill("1:15:30");
  const release = await holdRequests(page, /\/admin\.data/);
  await update.click();
  await expect(page.getByRole("button", { name: "Updating..." })).toBeVisible();
  await release();
  await expect(page.getByText("Video has been updated successfully.")).toBeVisible();
  await expect(row(page, "Aurora borealis")).toContainText("75:30");

  await row(page, "Aurora").getByRole("button", { name: /^Hide/ }).click();
  await expect(page.getByText("Video is now hidden on the website.")).toBeVisible();
  await expect(row(page, "Aurora")).toContainText(/hidden/i);
  await row(page, "Cinema").getByRole("button", { name: /^Show/ }).click();
  await expect(page.getByText("Video is now visible on the website.")).toBeVisible();

  await row(page, "Beach").getByRole("link", { name: "Delete Beach" }).click();
  await expect(page.getByRole("dialog")).toContainText("for 30 days");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(
    page.getByText("Video and associated files have been removed successfully."),
  ).toBeVisible();
  await expect(row(page, "Beach")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo deleting “Beach”" }).click();
  await expect(row(page, "Beach")).toHaveCount(1);

  await page.goto("/admin/activity");
  await expect(
    page.getByRole("listitem").filter({ hasText: "restored Beach" }).first(),
  ).toBeVisible();
});

test("a conflict is reported if a video is edited in two tabs, and the first edit is overwritten only on request", async ({
  page,
  site,
}) => {
  addThree(site);
  await signIn(page);
  const other = await page.context().newPage();
  for (const each of [page, other]) await each.goto("/admin?tab=manage&edit=a");

  await page.getByRole("dialog").getByLabel("Title").fill("Mine");
  await page.getByRole("button", { name: "Update" }).click();
  await expect(page.getByText("Video has been updated successfully.")).toBeVisible();

  // The list is refetched, but the text being edited is kept.
  await expect(row(other, "Mine")).toBeAttached();
  await expect(other.getByRole("dialog").getByLabel("Title")).toHaveValue("Aurora");
  await other.getByRole("dialog").getByLabel("Title").fill("Theirs");
  await other.getByRole("button", { name: "Update" }).click();
  const dialog = other.getByRole("dialog");
  await expect(dialog).toContainText("Someone else edited this video");
  await expect(dialog.getByRole("row", { name: "Title Mine Theirs" })).toBeVisible();
  // The list is refetched, but the rejected input is kept.
  site.addVideo({ id: "d", title: "Delta" });
  await expect(row(other, "Delta")).toBeAttached();
  await expect(other.locator("dl")).toContainText("4");
  await expect(dialog.getByLabel("Title")).toHaveValue("Theirs");
  await dialog.getByRole("button", { name: "Update" }).click();
  await expect(other.getByText("Video has been updated successfully.")).toBeVisible();
  await expect(row(page, "Theirs")).toBeVisible();
});

test("an admin selects, hides, edits and deletes videos with the keyboard", async ({
  page,
  site,
}) => {
  addThree(site);
  await signIn(page);
  await page.goto("/admin?tab=manage");
  const rows = page.locator("tbody tr");
  await expect(rows.first()).toHaveAttribute("tabindex", "0");
  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press("Space");
  await expect(page.getByText("1 selected")).toBeVisible();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("h");
  await expect(page.getByText("Video is now hidden on the website.")).toBeVisible();
  await rows.first().focus();
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Edit Video");
  await expect(dialog.getByLabel("Title")).toBeFocused();
  await page.keyboard.press("Escape");
  // The dialog closes before the URL changes.
  await expect(page).toHaveURL("/admin?tab=manage");
  await expect(dialog).toHaveCount(0);
  await rows.first().focus();
  await page.keyboard.press("s");
  await expect(dialog.getByLabel("Publish at")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL("/admin?tab=manage");
  await expect(dialog).toHaveCount(0);
  await rows.first().focus();
  await page.keyboard.press("Delete");
  await expect(dialog.getByRole("heading", { name: "Delete this video?" })).toBeFocused();
});
