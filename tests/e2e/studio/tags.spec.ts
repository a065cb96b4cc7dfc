import type { Page } from "playwright/test";
import type { SiteProcess } from "../../site-process";
import { expect, signIn, test } from "../site";

const entry = (page: Page, name: string) =>
  page
    .getByRole("list", { name: "Tags", exact: true })
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name, exact: true }) });
const tagsOf = (site: SiteProcess, id: string) =>
  JSON.parse(
    String(site.database().prepare("SELECT tags FROM videos WHERE id = ?").pluck().get(id)),
  );

async function open(page: Page, site: SiteProcess): Promise<void> {
  site.database().exec("DELETE FROM tag_changes; DELETE FROM tag_aliases");
  site.addVideo({ id: "a", title: "Aurora", tags: '["hd","night"]' });
  site.addVideo({ id: "b", title: "Beach", tags: '["HD"]' });
  // A tag without spaces, which can't be wrapped between words, in a list that would otherwise be empty.
  site.addVideo({
    id: "l",
    title: "Long",
    tags: '["Averyverylongtagthatcannotbebrokenatallbyanyone"]',
  });
  site.addVideo({ id: "c", title: "Cinema", tags: '["4K","HD"]', status: "hidden" });
  await signIn(page);
  await page.goto("/admin?tab=manage");
  await page.getByRole("link", { name: "Tags", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Tags" })).toBeVisible();
}

test("renames, merges, removes and restores tags", async ({ page, site }) => {
  await open(page, site);
  await expect(entry(page, "HD")).toContainText("3 videos");
  await expect(entry(page, "HD")).toContainText("2 public");
  await expect(entry(page, "HD")).toContainText("Other spellings: hd");

  await page.getByRole("link", { name: "night", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Tag “night”" });
  await expect(dialog).toContainText("1 video");
  await dialog.getByLabel("Name", { exact: true }).fill("one, two");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveValue("one, two");
  await expect(dialog.getByText("A tag can’t contain a comma.").first()).toBeVisible();
  await dialog.getByLabel("Name", { exact: true }).fill("After dark");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByText("Changed “night” to “After dark” in 1 video.")).toBeVisible();
  expect(tagsOf(site, "a")).toEqual(["hd", "After dark"]);
  await expect(entry(page, "After dark")).toContainText("Aliases: night");

  await page.getByLabel("Select HD").check();
  await page.getByLabel("Select 4K").check();
  const bar = page.getByRole("form", { name: "Selected tags" });
  await bar.getByLabel("Merge into").fill("HD");
  await bar.getByRole("button", { name: "Merge" }).click();
  await expect(page.getByText("Changed “HD”, “4K” to “HD” in 2 videos.")).toBeVisible();
  expect([tagsOf(site, "a"), tagsOf(site, "c")]).toEqual([["HD", "After dark"], ["HD"]]);

  await page.getByText("Recent changes").click();
  await page.getByRole("button", { name: "Undo: changed the tag “HD”, “4K” to “HD”" }).click();
  await expect(page.getByText("Undid the change in 2 videos.")).toBeVisible();
  expect([tagsOf(site, "a"), tagsOf(site, "c")]).toEqual([
    ["hd", "After dark"],
    ["4K", "HD"],
  ]);

  await page.getByRole("link", { name: "4K", exact: true }).click();
  await page.getByRole("button", { name: "Remove from all videos" }).click();
  await expect(page.getByText("Removed “4K” from 1 video.")).toBeVisible();
  await expect(entry(page, "4K")).toHaveCount(0);
});

test("reports a change made in another tab, and updates an open page", async ({ page, site }) => {
  await open(page, site);
  const other = await page.context().newPage();
  await other.goto("/admin/tags?tag=night");
  await page.getByLabel("Select night").check();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("Removed “night” from 1 video.")).toBeVisible();
  await expect(other.getByRole("dialog")).toHaveCount(0);
  await expect(other.getByText("No videos have this tag anymore.").first()).toBeVisible();
});
