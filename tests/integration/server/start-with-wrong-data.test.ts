import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { trashName } from "~/media/trash-files.server";
import { SiteProcess } from "../../site-process";

let site: SiteProcess;
beforeEach(() => {
  site = new SiteProcess();
});
afterEach(() => site.remove());

const TRASHED = "videos/u/1700000000000.mp4";

/** All files below the uploads folder, without those of the running site. */
function files(): string[] {
  return fs
    .readdirSync(site.uploads, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(\.lock|site\.json)/.test(entry.name))
    .map((entry) => path.relative(site.uploads, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** A site with a video and a deleted video, and the files of both. */
async function fill(): Promise<void> {
  await site.start();
  site.addVideo({ id: "live", video_url: site.addFile("videos", "u/1.mp4", "live") });
  site
    .database()
    .prepare(
      `INSERT INTO deleted_videos (id, title, row, files, deleted_at, bytes)
       VALUES ('deleted', 'A', '{}', ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 1)`,
    )
    .run(JSON.stringify([{ bucket: "videos", path: TRASHED.slice("videos/".length) }]));
  const trashed = path.join(site.uploads, ".trash", trashName("deleted"), TRASHED);
  fs.mkdirSync(path.dirname(trashed), { recursive: true });
  fs.writeFileSync(trashed, "deleted");
  // The next start records the files that are there.
  await site.stop();
  await site.start();
  const recorded = site.database().prepare("SELECT count(*) FROM media_files").pluck();
  await expect.poll(() => recorded.get(), { timeout: 10_000 }).toBe(1);
  await site.stop();
}

/** Waits until the log contains what a task of the start reports at its end. */
const reported = (text: RegExp) => expect.poll(() => site.log, { timeout: 10_000 }).toMatch(text);

it("starts with a wrong DATABASE_PATH, removes nothing, and explains how to recover", async () => {
  await fill();
  // Kept until it has been compared with other videos.
  const blocked = path.join(site.uploads, ".block-list/7/1.mp4");
  fs.mkdirSync(path.dirname(blocked), { recursive: true });
  fs.writeFileSync(blocked, "blocked");
  const before = files();
  site.log = "";
  await site.start({ DATABASE_PATH: path.join(site.folder, "db", "wrong.sqlite") });
  await reported(/\.trash contains files of 1 video that this database doesn't know/);
  expect(site.log).toMatch(/wrong\.sqlite has never been used with the files in/);
  expect(site.log).toMatch(/correct this and start again/);
  expect(files()).toEqual(before);
  await site.stop();

  fs.rmSync(blocked);
  site.log = "";
  await site.start({ DATABASE_PATH: site.databasePath });
  expect((await fetch(`${site.url}/healthz`)).status).toBe(200);
  expect(site.log).not.toContain("Nothing is removed automatically");
  expect([...files(), ".block-list/7/1.mp4"].sort()).toEqual(before);
}, 60_000);

it("starts with an uploads folder that isn't mounted, and reports it", async () => {
  await fill();
  const before = files();
  fs.renameSync(site.uploads, `${site.uploads}.away`);
  site.log = "";
  await site.start();
  await reported(/many files of the library are missing/);
  await site.stop();
  fs.rmSync(site.uploads, { recursive: true });
  fs.renameSync(`${site.uploads}.away`, site.uploads);
  site.log = "";
  await site.start();
  expect(site.log).not.toContain("Nothing is removed automatically");
  expect(files()).toEqual(before);
}, 60_000);

it("starts with an older database, returns a video's files and keeps the others", async () => {
  await fill();
  // As if the live video had been deleted after the database was copied.
  const trashed = path.join(site.uploads, ".trash", trashName("live"), "videos/u/1.mp4");
  fs.mkdirSync(path.dirname(trashed), { recursive: true });
  fs.renameSync(path.join(site.uploads, "videos/u/1.mp4"), trashed);
  const marker = path.join(site.uploads, "site.json");
  const { id } = JSON.parse(fs.readFileSync(marker, "utf8"));
  fs.writeFileSync(marker, JSON.stringify({ id, clock: 1_000 }));
  site.log = "";
  await site.start();
  await reported(/They are back in place/);
  expect(site.log).toMatch(/is older than the files in/);
  expect(files()).toEqual([path.join(".trash", trashName("deleted"), TRASHED), "videos/u/1.mp4"]);
}, 60_000);
