import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { HtmlVisitor, textOf } from "./html-visitor";

const WITHIN = { timeout: 30_000 };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "operator-folders-"));
const [imports, backups] = ["import", "backups"].map((name) => path.join(folder, name)) as [
  string,
  string,
];
const site = new SiteProcess({ IMPORT_DIR: imports, BACKUP_DIR: backups, BACKUP_EVERY: "52w" });
let visitor: HtmlVisitor;
beforeAll(async () => {
  for (const name of [imports, backups]) fs.mkdirSync(name);
  await site.start();
});
afterAll(async () => {
  await site.remove();
  fs.rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  visitor = new HtmlVisitor(site);
  await visitor.setCookie(await signInTo(site));
});

const region = (name: string) => visitor.in().getByRole("region", { name });

it("imports a folder with a table of video details", async () => {
  fs.copyFileSync(mp4Clip(1, "96x54"), path.join(imports, "aurora.mp4"));
  fs.writeFileSync(path.join(imports, "notes.mp4"), "no video");
  await visitor.open("/admin/import");
  visitor.fill("Default category", "desi");
  visitor.fill("Import as", "Published");
  const table = "file,title,tags\naurora.mp4,Aurora borealis,north";
  visitor.fill("Video details", table, region("From a folder on the server"));
  await visitor.press("Import folder");
  const report = async () => {
    await visitor.reload();
    return visitor.text;
  };
  await expect.poll(report, WITHIN).toContain("1 imported (");
  expect(visitor.text).toContain("notes.mp4:");
  expect(site.database().prepare("SELECT title, tags, status, category FROM videos").all()).toEqual(
    [{ title: "Aurora borealis", tags: '["north"]', status: "published", category: "desi" }],
  );
  await visitor.open("/");
  await visitor.follow("Aurora borealis");
  expect(textOf(visitor.in().getByRole("heading", { level: 1 }))).toBe("Aurora borealis");
});

it("creates a backup of the site on request, and lists it", async () => {
  const button = () => visitor.in().getByRole<HTMLButtonElement>("button", { name: /^Back/ });
  const listed = () => visitor.in(region("Recent backups")).queryAllByRole("listitem").length;
  const isDone = async () => {
    await visitor.open("/admin/backups");
    return visitor.text.includes("Last verified backup: ") && !button().disabled;
  };
  // The first backup was started by the schedule.
  await expect.poll(isDone, WITHIN).toBe(true);
  const before = listed();
  await visitor.press("Back up now");
  expect(visitor.text).toContain("Backup started. You can leave this page.");
  await expect.poll(async () => (await isDone()) && listed(), WITHIN).toBe(before + 1);
  expect(fs.readdirSync(backups).length).toBeGreaterThan(1);
});
