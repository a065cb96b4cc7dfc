import type { Page } from "playwright/test";
import type { SiteProcess } from "../../site-process";
import { holdRequests } from "../hold-requests";
import { expect, expectNoViolations, signIn, test } from "../site";

const row = (page: Page, title: string) => page.getByRole("row").filter({ hasText: title });

function addThree(site: SiteProcess) {
  const day = (n: number) => `2024-01-0${n}T00:00:00.000Z`;
  site.addVideo({ id: "c", title: "Cinema", status: "review", created_at: day(1) });
  site.addVideo({ id: "b", title: "Beach", status: "hidden", created_at: day(2) });
  site.addVideo({ id: "a", title: "Aurora", tags: '["night"]', created_at: day(3) });
}

const statusOf = (site: SiteProcess, id: string) =>
  site.database().prepare("SELECT status FROM videos WHERE id = ?").pluck().get(id);

test("a visitor is sent to sign in", async ({ page, site }) => {
  await page.goto(`${site.url}/admin`);
  await expect(page).toHaveURL(/\/auth$/);
});

test("an admin edits, hides, shows, deletes and takes the deletion back", async ({
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
  await dialog.getByLabel("Title").fill("Aurora borealis");
  await dialog.getByLabel("Tags").fill("north, , sky");
  await dialog.getByLabel("Duration").fill("1:15:30");
  await dialog.getByRole("button", { name: "Update" }).click();
  await expect(page.getByText("Video has been updated successfully.")).toBeVisible();
  await expect(row(page, "Aurora borealis")).toContainText("75:30");

  await row(page, "Aurora").getByRole("button", { name: /^Hide/ }).click();
  await expect(page.getByText("Video is now hidden on the website.")).toBeVisible();
  await expect(row(page, "Aurora")).toContainText(/hidden/i);
  await row(page, "Cinema").getByRole("button", { name: /^Show/ }).click();
  await expect(page.getByText("Video is now visible on the website.")).toBeVisible();

  await row(page, "Beach").getByRole("link", { name: "Delete Beach" }).click();
  await expect(page.getByRole("dialog")).toContainText("For 30 days");
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

test("an admin filters, sorts and changes several at once", async ({ page, site }) => {
  addThree(site);
  await signIn(page);
  await page.goto("/admin?tab=manage");
  await page.getByLabel("Sort by").selectOption("title");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page).toHaveURL(/sort=title/);
  await expect(page.getByRole("row").nth(1)).toContainText("Aurora");

  await page.getByLabel("Select Aurora").check();
  await page.getByLabel("Select Beach").check();
  await page.getByLabel("With the selected videos").selectOption("hide");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("dialog")).toContainText("1 video will change.");
  await page.getByRole("button", { name: "Change videos" }).click();
  await expect(page.getByText("1 video was hidden. 1 video was hidden already.")).toBeVisible();
  expect(statusOf(site, "a")).toBe("hidden");

  await page.getByLabel("Select Beach").check();
  await page.getByLabel("Select Cinema").check();
  await page.getByLabel("With the selected videos").selectOption("delete");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("dialog")).toContainText("Delete 2 videos?");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("2 videos were deleted.")).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(2);
});

test("two admins who edit the same video are both told, and nothing is overwritten", async ({
  page,
  site,
  browser,
}) => {
  addThree(site);
  await signIn(page);
  const other = await (await browser.newContext({ baseURL: site.url })).newPage();
  await signIn(other);
  for (const each of [page, other]) await each.goto("/admin?tab=manage&edit=a");

  await page.getByRole("dialog").getByLabel("Title").fill("Mine");
  await page.getByRole("button", { name: "Update" }).click();
  await expect(page.getByText("Video has been updated successfully.")).toBeVisible();

  // The list behind is refetched; the text that is about to be typed over stays.
  await expect(row(other, "Mine")).toBeAttached();
  await expect(other.getByRole("dialog").getByLabel("Title")).toHaveValue("Aurora");
  await other.getByRole("dialog").getByLabel("Title").fill("Theirs");
  await other.getByRole("button", { name: "Update" }).click();
  const dialog = other.getByRole("dialog");
  await expect(dialog).toContainText("Nothing was overwritten");
  await expect(dialog.getByRole("row", { name: "Title Mine Theirs" })).toBeVisible();
  // The list behind is refetched; what was refused stays as it was typed.
  site.addVideo({ id: "d", title: "Delta" });
  await expect(row(other, "Delta")).toBeAttached();
  await expect(dialog.getByLabel("Title")).toHaveValue("Theirs");
  await dialog.getByRole("button", { name: "Update" }).click();
  await expect(other.getByText("Video has been updated successfully.")).toBeVisible();
  await expect(row(page, "Theirs")).toBeVisible();
  await other.context().close();
});

test("the keyboard alone moves, selects, hides, edits and deletes", async ({ page, site }) => {
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
  // The dialog is gone before its address is.
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

test("Update is disabled while the title is blank, and shows that it is updating", async ({
  page,
  site,
}) => {
  addThree(site);
  await signIn(page);
  await page.goto("/admin?tab=manage&edit=a");
  const update = page.getByRole("button", { name: "Update" });
  await expect(update).toBeEnabled();
  await expect(page.getByRole("dialog").getByLabel("Title")).toBeFocused();
  await page.getByRole("dialog").getByLabel("Title").fill("  ");
  await expect(update).toBeDisabled();
  await page.getByRole("dialog").getByLabel("Title").fill("Renamed");
  const release = await holdRequests(page, /\/admin\.data/);
  await update.click();
  await expect(page.getByRole("button", { name: "Updating..." })).toBeVisible();
  release();
  await expect(page.getByText("Video has been updated successfully.")).toBeVisible();
});

test("an open list follows what another admin does", async ({ page, site }) => {
  addThree(site);
  await signIn(page);
  await page.goto("/admin?tab=manage");
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.waitForLoadState("networkidle").catch(() => {});
  site.addVideo({ title: "Just added" });
  await expect(row(page, "Just added")).toBeVisible();
  await expect(page.locator("dl")).toContainText("4");
});

test("no page has an accessibility violation or scrolls sideways @phone", async ({
  page,
  site,
}) => {
  addThree(site);
  site.database().exec("UPDATE videos SET views = views + 5");
  await signIn(page);
  for (const address of [
    "/admin",
    "/admin?tab=manage",
    "/admin?tab=manage&edit=a",
    "/admin?tab=manage&delete=a",
    "/admin?tab=manage&search=nothing",
    "/admin/statistics",
    "/admin/activity",
  ]) {
    await test.step(address, async () => {
      await page.goto(address);
      await expectNoViolations(page);
      const beyond = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(beyond).toBe(0);
    });
  }
});
