import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { makeClip } from "../../media-clips";
import { expect, expectNoViolations, signIn, test } from "../site";

let folder: string;
test.beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "replace-e2e-"));
});
test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("an admin uploads a replacement file, which doesn't affect the video while it is pending, and discards it", async ({
  page,
  site,
}) => {
  const [first, second] = [1, 2].map((seconds) =>
    makeClip(folder, `${seconds}`, { seconds, size: "96x54", audio: false }),
  ) as [string, string];
  const video_url = site.addFile("videos", "u/1700000000000.mp4", fs.readFileSync(first));
  const id = site.addVideo({ title: "Aurora", video_url, duration: "0:01", views: 7 });
  await signIn(page);
  await page.goto(`/admin?tab=manage&edit=${id}`);
  await page.getByRole("link", { name: "Replace file" }).click();
  const dialog = page.getByRole("dialog", { name: "Replace file" });
  await expectNoViolations(page);
  await dialog.getByLabel("Video file").setInputFiles(second);
  await dialog.getByRole("button", { name: "Replace file" }).press("Enter");
  await expect(page.getByText("File uploaded")).toBeVisible();
  const row = () => site.database().prepare("SELECT video_url, duration, views FROM videos").get();
  expect(row()).toEqual({ video_url, duration: "0:01", views: 7 });

  await page.goto(`/admin?tab=manage&replace=${id}`);
  await expect(dialog.getByRole("button", { name: "Discard" })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Switch now" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Discard" }).press("Enter");
  await expect(page.getByText("File discarded")).toBeVisible();
  expect(row()).toEqual({ video_url, duration: "0:01", views: 7 });
});
