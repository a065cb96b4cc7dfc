import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { makeClip } from "../../media-clips";
import { expect, signIn, test } from "../site";

/** Tests the folder that the operator has configured for imports. */

const JOB_TIMEOUT = { timeout: 60_000 };

let folder: string;

test.beforeAll(async ({ siteProcess }) => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "operator-folders-"));
  await siteProcess.stop();
  await siteProcess.start({ IMPORT_DIR: folder });
});
test.afterAll(async ({ siteProcess }) => {
  await siteProcess.stop();
  await siteProcess.start({ IMPORT_DIR: "" });
  fs.rmSync(folder, { recursive: true, force: true });
});

test("after a folder is imported, the open page shows the result", async ({ page, site }) => {
  makeClip(folder, "aurora", { seconds: 1, size: "96x54", audio: false });
  await signIn(page);
  await page.goto("/admin/import");
  await page.getByLabel("Default category").selectOption("desi");
  await page.getByRole("button", { name: "Import folder" }).press("Enter");
  await expect(page.getByText(/^1 imported \(/)).toBeVisible(JOB_TIMEOUT);
  expect(site.database().prepare("SELECT category FROM videos").pluck().all()).toEqual(["desi"]);
});
