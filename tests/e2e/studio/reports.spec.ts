import fs from "node:fs";
import { mp4Clip } from "../../clips";
import { addOpenReport } from "../../reported-videos";
import { ADMIN, expect, expectNoViolations, signIn, test } from "../site";

test("a moderator hides, keeps and removes a reported video with the keyboard", async ({
  page,
  site,
}) => {
  const database = site.database();
  database.exec("DELETE FROM reports; DELETE FROM video_holds");
  const id = site.addVideo({ title: "A reported video" });
  addOpenReport(database, {
    ...{ id: "late", kind: "consent", videoId: id, dueAt: "2026-01-03T00:00:00.000Z" },
  });
  addOpenReport(database, { id: "other", kind: "other", videoId: id });
  await signIn(page);
  await page.goto("/admin");
  await page.getByRole("link", { name: "Reports 2 open, 1 overdue" }).click();
  await expect(page.getByText("2 open reports")).toBeVisible();
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
  await expect(page.getByText(`${ADMIN.email} hid the video`)).toBeVisible();
  expect(isPublic.get(id)).toBe(0);
  await decide("Keep");
  await expect(page.getByText(`${ADMIN.email} kept the video`)).toBeVisible();
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

test("a moderator adds a video to a report, uncovers it and makes a decision with a key", async ({
  page,
  site,
}) => {
  const database = site.database();
  database.exec("DELETE FROM reports; DELETE FROM video_holds");
  const id = site.addVideo({
    title: "The video that is meant",
    video_url: site.addFile("videos", "covered/1.mp4", fs.readFileSync(mp4Clip(2))),
  });
  addOpenReport(database, { id: "words", kind: "under-age", videoId: "nowhere" });
  await signIn(page);
  await page.goto("/admin/reports/words");
  await page.getByLabel("URL or ID of another video").fill(`/video/${id}`);
  await page.getByRole("button", { name: "Add video" }).click();
  const decision = database
    .prepare("SELECT decision FROM report_videos WHERE video_id = ?")
    .pluck();
  const isPublic = database.prepare("SELECT public FROM videos WHERE id = ?").pluck();
  await expect(page.getByRole("link", { name: "The video that is meant" })).toBeVisible();
  expect(isPublic.get(id)).toBe(0);
  await expectNoViolations(page);

  const source = page.locator("video");
  await expect(source).toBeHidden();
  await page.getByText("Show The video that is meant").click();
  await expect(source).toBeVisible();
  await source.evaluate((video: HTMLVideoElement) => video.play());
  await page.getByText("Cover The video that is meant").click();
  await expect(source).toBeHidden();
  await expect.poll(() => source.evaluate((video: HTMLVideoElement) => video.paused)).toBe(true);

  await page.keyboard.press("k");
  await expect(page.getByRole("radio", { name: "Keep" })).toBeChecked();
  await expect(page.getByLabel("Reason")).toBeFocused();
  // Letters typed into the field don't make a decision.
  await page.keyboard.type("right");
  await expect(page.getByRole("radio", { name: "Keep" })).toBeChecked();
  await page.getByRole("button", { name: "Decide" }).click();
  await expect(page.getByText(`${ADMIN.email} kept the video`)).toBeVisible();
  expect(decision.get(id)).toBe("keep");
  expect(isPublic.get(id)).toBe(1);

  await page.getByRole("button", { name: "Preserve evidence" }).click();
  await expect(page.getByText("are preserved until")).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download archive" }).click();
  expect((await download).suggestedFilename()).toBe("report-words.zip");
});
