import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SiteProcess } from "../../site-process";

let site: SiteProcess;
beforeEach(() => {
  site = new SiteProcess();
});
afterEach(() => site.remove());

/** A deleted video's file. */
const DELETED = "videos/u/1700000000000.mp4";

/** Returns all files in the uploads folder, except for the site's lock and marker. */
function files(): string[] {
  return fs
    .readdirSync(site.uploads, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(\.lock|site\.json)/.test(entry.name))
    .map((entry) => path.relative(site.uploads, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** Creates a site with a video, a deleted video and their files. */
async function fill(): Promise<void> {
  await site.start();
  site.addVideo({ id: "live", video_url: site.addFile("videos", "u/1.mp4", "live") });
  const url = site.addFile("videos", DELETED.slice("videos/".length), "deleted");
  site
    .database()
    .prepare(
      `INSERT INTO deleted_videos (id, title, row, deleted_at, bytes)
       VALUES ('deleted', 'A', ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 1)`,
    )
    .run(JSON.stringify({ video_url: url }));
  // The next start records the existing files.
  await site.stop();
  await site.start();
  const recorded = site.database().prepare("SELECT count(*) FROM media_files").pluck();
  await expect.poll(() => recorded.get(), { timeout: 10_000 }).toBe(2);
  await site.stop();
}

/** Waits until the log contains the last message of a startup task. */
const reported = (text: RegExp) => expect.poll(() => site.log, { timeout: 10_000 }).toMatch(text);

it("starts with a wrong DATABASE_PATH without removing anything, and explains how to recover", async () => {
  await fill();
  const before = files();
  site.log = "";
  await site.start({ DATABASE_PATH: path.join(site.folder, "db", "wrong.sqlite") });
  await reported(/wrong\.sqlite has never been used with the files in/);
  expect(site.log).toMatch(/fix the problem and start it again/);
  expect(files()).toEqual(before);
  await site.stop();

  site.log = "";
  await site.start({ DATABASE_PATH: site.databasePath });
  expect((await fetch(`${site.url}/healthz`)).status).toBe(200);
  expect(site.log).not.toContain("Nothing is removed automatically");
  expect(files()).toEqual(before);
}, 60_000);

it("starts with an uploads folder that isn't mounted, and reports it", async () => {
  await fill();
  const before = files();
  fs.renameSync(site.uploads, `${site.uploads}.away`);
  site.log = "";
  await site.start();
  await reported(/many of the library's files are missing/);
  await site.stop();
  fs.rmSync(site.uploads, { recursive: true });
  fs.renameSync(`${site.uploads}.away`, site.uploads);
  site.log = "";
  await site.start();
  expect(site.log).not.toContain("Nothing is removed automatically");
  expect(files()).toEqual(before);
}, 60_000);

it("starts with an older database, and removes only what a person has deleted", async () => {
  await fill();
  const ordered = "videos/u/9.mp4";
  site.addFile("videos", "u/9.mp4", "ordered");
  const enqueue = site.database().prepare(
    `INSERT INTO removals (bucket, path, reason, is_ordered, created_at, not_before)
       VALUES ('videos', ?, 'deleted', ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 minute'),
         strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`,
  );
  site.database().exec("DELETE FROM deleted_videos");
  enqueue.run(DELETED.slice("videos/".length), 0);
  enqueue.run(ordered.slice("videos/".length), 1);
  const marker = path.join(site.uploads, "site.json");
  const { id } = JSON.parse(fs.readFileSync(marker, "utf8"));
  fs.writeFileSync(marker, JSON.stringify({ id, clock: 1_000 }));
  site.log = "";
  await site.start();
  await reported(/is older than the files in/);
  await expect.poll(files, { timeout: 10_000 }).not.toContain(ordered);
  expect(files()).toEqual(["videos/u/1.mp4", DELETED]);
}, 60_000);
