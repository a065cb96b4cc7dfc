import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { makeClip } from "../../media-clips";
import { expect, expectNoViolations, signIn, test } from "../site";

/** The folders that an operator has set: what the pages Import and Backups do with them. */

const JOB_TIMEOUT = { timeout: 60_000 };

let folder: string;
const inFolder = (name: string) => path.join(folder, name);

test.beforeAll(async ({ siteProcess }) => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "operator-folders-"));
  for (const name of ["import", "backups"]) fs.mkdirSync(inFolder(name));
  await siteProcess.stop();
  const folders = { IMPORT_DIR: inFolder("import"), BACKUP_DIR: inFolder("backups") };
  await siteProcess.start({ ...folders, BACKUP_EVERY: "52w" });
});
test.afterAll(async ({ siteProcess }) => {
  await siteProcess.stop();
  await siteProcess.start({ IMPORT_DIR: "", BACKUP_DIR: "", BACKUP_EVERY: "" });
  fs.rmSync(folder, { recursive: true, force: true });
});

test("a folder is imported with its table of texts", async ({ page, site }) => {
  makeClip(inFolder("import"), "aurora", { seconds: 1, size: "160x90" });
  fs.writeFileSync(path.join(inFolder("import"), "notes.mp4"), "no video");
  await signIn(page);
  await page.goto("/admin/import");
  await page.getByLabel("Category of what says none").selectOption("desi");
  await page.getByLabel("They become").selectOption("Published");
  await page
    .getByRole("region", { name: "From the server's folder" })
    .getByLabel("Table of texts")
    .fill("file,title,tags\naurora.mp4,Aurora borealis,north");
  await page.getByRole("button", { name: "Import the folder" }).press("Enter");
  await expect(page.getByText(/^1 imported \(/)).toBeVisible(JOB_TIMEOUT);
  await expect(page.getByText(/notes\.mp4:/)).toBeVisible();
  expect(site.database().prepare("SELECT title, tags, status, category FROM videos").all()).toEqual(
    [{ title: "Aurora borealis", tags: '["north"]', status: "published", category: "desi" }],
  );
  await expectNoViolations(page);
  await page.goto("/");
  await expect(page.getByRole("link", { name: /Aurora borealis/ }).first()).toBeVisible();
});

test("a backup is made at the press of a button, and listed", async ({ page }) => {
  await signIn(page);
  await page.goto("/admin/backups");
  const backups = page.getByRole("region", { name: "Last backups" }).getByRole("listitem");
  // The timetable has made the first.
  await expect(page.getByText(/^The last proved backup is /)).toBeVisible(JOB_TIMEOUT);
  const button = page.getByRole("button", { name: "Back up now" });
  await expect(button).toBeEnabled(JOB_TIMEOUT);
  const before = await backups.count();
  await button.press("Enter");
  await expect(page.getByText("A backup is being made. You may leave this page.")).toBeVisible();
  await expect(backups).toHaveCount(before + 1, JOB_TIMEOUT);
  await expect(button).toBeEnabled(JOB_TIMEOUT);
  await expectNoViolations(page);
  expect(fs.readdirSync(inFolder("backups")).length).toBeGreaterThan(1);
});
