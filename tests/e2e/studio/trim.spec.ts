import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { makeClip } from "../../media-clips";
import { expect, expectNoViolations, signIn, test } from "../site";

let folder: string;
test.beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "trim-e2e-"));
});
test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("trims a video at the player's position with the keyboard", async ({ page, site }) => {
  // The queue is paused, so that nothing processes the trim in the meantime.
  site.database().exec("UPDATE queue_state SET paused_at = '2026-01-01T00:00:00.000Z'");
  const clip = makeClip(folder, "video", {
    seconds: 6,
    extension: "webm",
    video: VP8,
    audio: false,
  });
  const video_url = site.addFile("videos", "u/1700000000000.webm", fs.readFileSync(clip));
  site.addVideo({ id: "v", title: "Aurora", video_url, duration: "0:06" });
  await signIn(page);
  await page.goto("/admin?tab=manage&edit=v");
  await page.getByRole("link", { name: "Trim" }).click();
  const dialog = page.getByRole("dialog", { name: "Trim video" });
  const [start, end] = [dialog.getByLabel("Starts at"), dialog.getByLabel("Ends at")];
  // The player seeks to the position that is typed, and the buttons use the player's position.
  await start.fill("0:02.5");
  const source = dialog.getByLabel("Original video");
  await expect(source).toHaveJSProperty("currentTime", 2.5);
  await source.evaluate((element: HTMLVideoElement) => {
    element.currentTime = 4.25;
  });
  await dialog.getByRole("button", { name: "Set end" }).press("Enter");
  await expect(end).toHaveValue("0:04.25");
  await expect(dialog.getByRole("status")).toHaveText("Length after trimming: 0:01.75");
  await expectNoViolations(page);
  await end.fill("0:02");
  await expect(dialog.getByRole("status")).toHaveText("The end must be after the start.");
  await end.press("Enter");
  await expect(dialog).toContainText("Failed to trim the video.");
  await expect(end).toHaveAccessibleDescription(/The end must be after the start\./);
  await expect(start).toHaveValue("0:02.5");
  await end.fill("0:04.25");
  await end.press("Enter");
  await expect(page.getByText("Trimming started")).toBeVisible();
  expect(
    site
      .database()
      // Another test may have left behind files of a deleted video.
      .prepare("SELECT cut_of, cut_start, cut_end FROM video_files WHERE video_id = 'v'")
      .all(),
  ).toEqual([{ cut_of: "u/1700000000000", cut_start: 2.5, cut_end: 4.25 }]);
  await page.goto("/admin?tab=manage&trim=v");
  await dialog.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByText("The video keeps its current file.")).toBeVisible();
});

const VP8 = ["libvpx", "-deadline", "realtime", "-cpu-used", "8"];
