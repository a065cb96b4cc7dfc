import { addOpenReport } from "../../reported-videos";
import { ADMIN, expect, signIn, test } from "../site";

test("a moderator hides, keeps and removes what was reported, by keyboard", async ({
  page,
  site,
}) => {
  const database = site.database();
  database.exec("DELETE FROM reports; DELETE FROM video_holds");
  const id = site.addVideo({ title: "A reported film" });
  addOpenReport(database, {
    ...{ id: "late", kind: "consent", videoId: id, dueAt: "2026-01-03T00:00:00.000Z" },
  });
  addOpenReport(database, { id: "other", kind: "other", videoId: id });
  await signIn(page);
  await page.goto("/admin");
  await page.getByRole("link", { name: "Reports 2 open, 1 overdue" }).click();
  await expect(page.getByText("2 reports to decide")).toBeVisible();
  const first = page.getByRole("list", { name: "Reports" }).getByRole("listitem").first();
  await expect(first).toContainText("Overdue by");
  await first.getByRole("link").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: /^Report:/ })).toHaveText(
    "Report: Shown without consent",
  );

  const decide = async (name: string) => {
    await page.getByRole("radio", { name }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Reason").fill(`${name}, since it is so.`);
    await page.getByRole("button", { name: "Decide" }).focus();
    await page.keyboard.press("Enter");
  };
  const isPublic = database.prepare("SELECT public FROM videos WHERE id = ?").pluck();
  await decide("Hide now");
  await expect(page.getByText("hid the video")).toBeVisible();
  expect(isPublic.get(id)).toBe(0);
  await decide("Keep");
  await expect(page.getByText("kept the video")).toBeVisible();
  expect(isPublic.get(id)).toBe(1);
  await decide("Remove");
  await expect(page.getByText("In the trash")).toBeVisible();
  expect(isPublic.get(id)).toBeUndefined();
  await decide("Restore");
  await expect(page.getByText(`${ADMIN.email} restored the video`)).toBeVisible();
  expect(isPublic.get(id)).toBe(1);

  await page.goto("/transparency");
  await expect(page.getByRole("row", { name: "Reports received 2" })).toBeVisible();
});
