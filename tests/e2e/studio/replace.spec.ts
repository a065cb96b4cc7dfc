import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { makeClip } from "../../media-clips";
import { runJobs } from "../run-jobs";
import { expect, expectNoViolations, signIn, test } from "../site";

let folder: string;
test.beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "replace-e2e-"));
});
test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

for (const scripts of [true, false]) {
  test.describe(scripts ? "with scripts" : "without scripts", () => {
    test.use({ javaScriptEnabled: scripts });

    test("a file is replaced, the address stays, and the earlier file comes back", async ({
      page,
      site,
    }) => {
      const id = scripts ? "scripts" : "plain";
      const film = (name: string, seconds: number) =>
        fs.readFileSync(makeClip(folder, name, { seconds, audio: false }));
      const video_url = site.addFile(
        "videos",
        `u/170000000000${scripts ? 0 : 1}.mp4`,
        film("first", 2),
      );
      site.addVideo({ id, title: "Aurora", video_url, duration: "0:02", views: 7 });
      makeClip(folder, `second-${id}`, { seconds: 4, audio: false });
      await signIn(page);
      await page.goto(`/admin?tab=manage&edit=${id}`);
      await page.getByRole("link", { name: "Replace the file" }).click();
      const dialog = page.getByRole("dialog", { name: "Replace File" });
      if (scripts) await expectNoViolations(page);
      await dialog.getByLabel("Video file").setInputFiles(path.join(folder, `second-${id}.mp4`));
      await dialog.getByRole("button", { name: "Replace file" }).press("Enter");
      await expect(page.getByText("File Received")).toBeVisible();
      const row = () =>
        site.database().prepare("SELECT video_url, duration, views FROM videos").get();
      expect(row()).toEqual({ video_url, duration: "0:02", views: 7 });

      await page.goto(`/admin?tab=manage&replace=${id}`);
      await expect(dialog.getByRole("button", { name: "Discard it" })).toBeVisible();
      await expect(dialog.getByRole("button", { name: "Use it now" })).toHaveCount(0);
      // All but the playable copy counts as made, or as waiting.
      const jobs = site
        .database()
        .prepare("UPDATE jobs SET state = ? WHERE kind <> 'transcode' AND video_id <> ?");
      jobs.run("done", id);
      if (scripts) jobs.run("failed", id);
      await runJobs(site, ["transcode"]);
      if (scripts) {
        await page.goto(`/admin?tab=manage&replace=${id}`);
        await dialog.getByRole("button", { name: "Use it now" }).press("Enter");
        await expect(page.getByText("File Replaced")).toBeVisible();
      }
      await expect.poll(row).toMatchObject({ duration: "0:04", views: 7 });
      expect((await page.request.get(`/video/${id}`)).status()).toBe(200);

      await page.goto(`/admin?tab=manage&replace=${id}`);
      await dialog.getByRole("button", { name: "Restore this file" }).press("Enter");
      await expect.poll(row).toMatchObject({ video_url, duration: "0:02", views: 7 });
    });
  });
}
