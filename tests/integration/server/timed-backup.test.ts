import fs from "node:fs";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";

const site = new SiteProcess();
const folder = path.join(site.folder, "backups");
afterAll(() => site.remove());

const states = () =>
  site.database().prepare("SELECT state FROM backups ORDER BY id").pluck().all() as string[];

it("creates scheduled backups, and stops a running backup during shutdown", async () => {
  fs.mkdirSync(folder);
  await site.start({ BACKUP_DIR: folder, BACKUP_EVERY: "1d" });
  await expect.poll(states, { timeout: 60_000 }).toEqual(["done"]);
  const [name] = fs.readdirSync(folder);
  expect(fs.existsSync(path.join(folder, name!, "backup.json"))).toBe(true);

  site.addFile("videos", "u/large.mp4", "");
  fs.truncateSync(path.join(site.uploads, "videos/u/large.mp4"), 512 * 1024 ** 2);
  const Cookie = await signInTo(site);
  const form = { Cookie, Origin: site.url, "Content-Type": "application/x-www-form-urlencoded" };
  const response = await sendRequest(site, "POST", "/admin/backups", form, "intent=back-up");
  expect([response.status, response.headers.location]).toEqual([302, "/admin/backups"]);
  await expect.poll(() => fs.readdirSync(folder).length, { interval: 5, timeout: 30_000 }).toBe(2);
  expect(await site.stop()).toBe(0);
  expect(states()).toEqual(["done", "interrupted"]);

  // The files left by the interrupted backup don't count as a backup. The next start doesn't retry this backup, because
  // it wasn't scheduled.
  fs.truncateSync(path.join(site.uploads, "videos/u/large.mp4"), 5);
  await site.start();
  const page = await sendRequest(site, "GET", "/admin/backups", { Cookie: await signInTo(site) });
  expect(String(page.body)).toContain("Interrupted");
  expect(states()).toEqual(["done", "interrupted"]);
}, 120_000);
