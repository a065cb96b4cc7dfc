import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runJobs } from "../run-jobs";
import { expect, expectNoViolations, signIn, test } from "../site";
import { addSource } from "./expect-plays";

let folder: string;
test.beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "encode-e2e-"));
});
test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("the video page says that the video is still being processed", async ({ page, site }) => {
  const source_url = site.addFile("videos", "u/1.avi", "A video");
  const id = site.addVideo({ source_url });
  await page.goto(`/video/${id}`);
  await expect(page.getByText("Video not available")).toBeVisible();
  await expect(page.getByText("Please try again later.")).toBeVisible();
  await expect(page.getByText("We’re still preparing this video.")).toBeVisible();
  expect((await page.request.get(source_url)).status()).toBe(404);
});

test("the queue page shows why a job failed, and the Retry button queues it again", async ({
  page,
  site,
}) => {
  const broken = path.join(folder, "broken.avi");
  fs.writeFileSync(broken, "not a video");
  addSource(site, broken, 0);
  expect(await runJobs(site)).toContain("failed");
  await signIn(page);
  await page.goto("/admin?tab=manage");
  await expect(page.getByText("Preparing for playback failed")).toBeVisible();
  await page.getByRole("link", { name: "Preparing for playback failed" }).click();
  await expect(page.getByRole("heading", { name: "Processing" })).toBeVisible();
  await expect(page.getByText(/This file isn.t a supported video/)).toBeVisible();
  await expect(page.getByText(/export it as MP4/)).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole("button", { name: /^Retry/ }).click();
  await expect(page.getByText("The job was queued again.").first()).toBeVisible();
  await expect(page.getByRole("region", { name: /Queued/ })).toContainText(
    "Preparing for playback",
  );
  await expect(page.getByText(/Estimating time remaining/)).toBeVisible();
  await page.getByRole("button", { name: "Pause all" }).click();
  await expect(page.getByText("Processing is paused.")).toBeVisible();
  await page.getByRole("link", { name: /^Queued/ }).click();
  await page.getByRole("checkbox", { name: /Select Preparing for playback/ }).check();
  await page
    .getByRole("form", { name: "Selected jobs" })
    .getByRole("button", { name: "Move to back" })
    .click();
  await expect(page.getByText("Moved to the back of the queue.").first()).toBeVisible();
  await expect(page.getByRole("listitem").getByText("Last", { exact: true })).toBeVisible();
});
