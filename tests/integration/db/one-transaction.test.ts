import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toggleVideo } from "~/features/library/change-visibility.server";
import { importVideos } from "~/features/upload/import/import.server";
import type { ImportEntry } from "~/features/upload/import/table.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { removeFiles } from "~/media/files/removals.server";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { sqliteHandle } from "~db/client.server";
import { mp4Clip } from "../../clips";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, filesIn, uploadRequest } from "../../upload-requests";

const USER = "u1";
let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  sqliteHandle()
    .prepare("INSERT INTO users (id, email, password_hash) VALUES (?, 'a@b.c', 'x')")
    .run(USER);
});
afterEach(() => site.remove());

const TABLES = ["videos", "media_files", "video_digests", "jobs", "activities"];
const counts = () =>
  TABLES.map((table) => sqliteHandle().prepare(`SELECT count(*) FROM ${table}`).pluck().get());

/** Creates a completed resumable upload whose form hasn't been sent yet. */
async function arrivedUpload(): Promise<string> {
  const arrived = path.join(site.uploads, "tmp", "arrived");
  fs.copyFileSync(mp4Clip(2), arrived);
  const bytes = fs.statSync(arrived).size;
  return storeFinishedUpload(USER, { path: arrived, name: "a.mp4", bytes, sha256: "a".repeat(64) });
}

/** Makes the second-to-last step of an upload fail. */
function breakJobs(): void {
  sqliteHandle().exec(
    "CREATE TRIGGER broken BEFORE INSERT ON jobs BEGIN SELECT RAISE(ABORT, 'no jobs'); END",
  );
}
const repairJobs = () => sqliteHandle().exec("DROP TRIGGER broken");

describe("an error partway through", () => {
  const failed = {
    ok: false,
    status: 500,
    failure: { message: "Failed to upload video.", texts: { title: "A walk at night" } },
  };

  it("rolls back a form upload", async () => {
    breakJobs();
    expect(await receiveUpload(uploadRequest(fileBlob(mp4Clip(2))), USER)).toMatchObject(failed);
    expect(counts()).toEqual([0, 0, 0, 0, 0]);
    await removeFiles();
    expect(filesIn(site.uploads)).toEqual([]);
    expect(vi.mocked(console.error).mock.calls.flat().join()).toContain("no jobs");
    vi.mocked(console.error).mockClear();
  });

  it("rolls back a resumable upload, which can be published once the problem is fixed", async () => {
    const upload = await arrivedUpload();
    const publish = () => receiveUpload(uploadRequest(undefined, { upload }), USER);
    breakJobs();
    expect(await publish()).toMatchObject(failed);
    vi.mocked(console.error).mockClear();
    expect(counts()).toEqual([0, 0, 0, 0, 0]);
    await removeFiles();
    expect(filesIn(site.uploads)).toEqual([`tmp/tus/${upload}`, `tmp/tus/${upload}.json`]);
    repairJobs();
    expect(await publish()).toMatchObject({ ok: true });
    expect(counts().map(Boolean)).toEqual([true, true, true, true, true]);
  });

  it("rolls back a resumable upload that couldn't be compared with the block list, but keeps its file", async () => {
    const upload = await arrivedUpload();
    const publish = () => receiveUpload(uploadRequest(undefined, { upload }), USER);
    sqliteHandle().exec("ALTER TABLE blocked_files RENAME TO unreadable");
    expect(await publish()).toMatchObject(failed);
    vi.mocked(console.error).mockClear();
    expect(filesIn(site.uploads)).toEqual([`tmp/tus/${upload}`, `tmp/tus/${upload}.json`]);
    sqliteHandle().exec("ALTER TABLE unreadable RENAME TO blocked_files");
    expect(await publish()).toMatchObject({ ok: true });
  });

  it("keeps a resumable upload without a stored digest, which can be published once its file is complete", async () => {
    const upload = await arrivedUpload();
    const file = path.join(site.uploads, "tmp/tus", `${upload}.json`);
    const { metadata, ...record } = JSON.parse(fs.readFileSync(file, "utf8"));
    const { sha256: _, ...without } = metadata;
    fs.writeFileSync(file, JSON.stringify({ ...record, metadata: without }));
    const publish = () => receiveUpload(uploadRequest(undefined, { upload }), USER);
    fs.truncateSync(path.join(site.uploads, "tmp/tus", upload), record.size - 1);
    expect(await publish()).toMatchObject({ ok: false, status: 409 });
    fs.copyFileSync(mp4Clip(2), path.join(site.uploads, "tmp/tus", upload));
    expect(await publish()).toMatchObject({ ok: true });
    const digest = sqliteHandle().prepare("SELECT sha256 FROM video_digests").pluck().get();
    expect(digest).toBe(
      createHash("sha256")
        .update(fs.readFileSync(mp4Clip(2)))
        .digest("hex"),
    );
  });

  it("rolls back hiding a video if the activity can't be recorded", async () => {
    sqliteHandle().exec(`
      INSERT INTO videos (id, title, category, status) VALUES ('v', 'A video', 'desi', 'published');
      CREATE TRIGGER broken BEFORE INSERT ON activities
        BEGIN SELECT RAISE(ABORT, 'no activities'); END`);
    await expect(toggleVideo({ id: "v" }, USER)).rejects.toThrow("no activities");
    const status = sqliteHandle().prepare("SELECT status FROM videos WHERE id = 'v'").pluck();
    expect(status.get()).toBe("published");
    sqliteHandle().exec("DROP TRIGGER broken");
    expect(await toggleVideo({ id: "v" }, USER)).toEqual({ now: "hidden" });
    expect([status.get(), counts().at(-1)]).toEqual(["hidden", 1]);
  });

  it("rolls back an import, and moves its files back to their original folder", async () => {
    const source = path.join(site.folder, "video.mp4");
    fs.copyFileSync(mp4Clip(2), source);
    breakJobs();
    const plan = { entries: [entry("video", source)], failures: [] };
    await expect(importVideos(plan, { userId: USER, mode: "move" })).rejects.toThrow("no jobs");
    expect(counts()).toEqual([0, 0, 0, 0, 0]);
    await removeFiles();
    expect(filesIn(site.uploads)).toEqual([]);
    expect(fs.existsSync(source)).toBe(true);
    repairJobs();
    await importVideos(plan, { userId: USER, mode: "move" });
    expect(counts().map(Boolean)).toEqual([true, true, true, true, true]);
    expect(fs.existsSync(source)).toBe(false);
  });
});

function entry(name: string, file?: string): ImportEntry {
  const texts = { title: name, description: "", category: "desi", tags: [] };
  return { name, file, status: "published", ...texts };
}

describe("an import of many videos", () => {
  const entries = Array.from({ length: 230 }, (_, index) => entry(`video ${index}`));

  it("inserts at most 50 rows per transaction, and releases the lock between transactions", async () => {
    const other = new Sqlite(path.join(site.folder, "db", "site.sqlite"), { timeout: 0 });
    const videos = other.prepare("SELECT count(*) FROM videos").pluck();
    const seen = new Set<number>();
    let gotTheLock = 0;
    let isRunning = true;
    const watching = (async () => {
      while (isRunning) {
        const count = videos.get() as number;
        if (!seen.has(count) && !sqliteHandle().inTransaction) {
          other.exec("BEGIN IMMEDIATE; ROLLBACK");
          gotTheLock++;
        }
        seen.add(count);
        await new Promise((next) => setImmediate(next));
      }
    })();
    await importVideos({ entries, failures: [] }, { userId: USER, mode: "copy" });
    isRunning = false;
    await watching;
    other.close();
    expect([...seen]).toEqual([0, 50, 100, 150, 200, 230]);
    expect(gotTheLock).toBeGreaterThan(2);
  });

  it("keeps the committed videos if a later one fails, and logs how many were committed in one activity", async () => {
    sqliteHandle().exec(
      "CREATE TRIGGER broken BEFORE INSERT ON videos WHEN NEW.title = 'video 120' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const plan = { entries, failures: [] };
    await expect(importVideos(plan, { userId: USER, mode: "copy" })).rejects.toThrow("no");
    const activities = sqliteHandle().prepare("SELECT action, detail FROM activities").all();
    expect(counts()[0]).toBe(100);
    expect(activities).toEqual([{ action: "import", detail: "100 videos" }]);
  });
});
