import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSeenFiles,
  trackFiles,
} from "~/features/operations/library-check/track-files.server";
import { studioStats } from "~/features/operations/statistics/admin-stats.server";
import { identifySite } from "~/media/removal-guard.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

const MB = 1024 ** 2;
/** A time long enough after the last write that the file no longer counts as growing. */
const LATER = Date.now() + 10 * 60_000;

let site: ReturnType<typeof useTemporarySite>;
let seen: ReturnType<typeof createSeenFiles>;
beforeEach(async () => {
  site = useTemporarySite();
  seen = createSeenFiles();
  await identifySite();
});
afterEach(() => site.remove());

/** Writes a file the way another tool does, without notifying the site. */
function put(name: string, bytes: number): void {
  const file = path.join(site.uploads, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, "");
  fs.truncateSync(file, bytes);
}

function addRow(id: string, video: string, thumbnail: string | null = null): void {
  sqliteHandle()
    .prepare(
      `INSERT INTO videos (id, title, category, video_url, thumbnail_url)
       VALUES (?, ?, 'desi', ?, ?)`,
    )
    .run(id, id, video, thumbnail);
}

const storageUsed = async () => (await studioStats()).storageUsed;
const sizeOf = (id: string) =>
  sqliteHandle().prepare("SELECT bytes FROM videos WHERE id = ?").pluck().get(id);

describe("files added to the buckets by other tools", () => {
  it("count toward Storage Used, whether or not they have a row", async () => {
    put("videos/u/1.mp4", 9 * MB);
    put("thumbnails/u/1.webp", MB);
    await trackFiles(seen);
    expect(await storageUsed()).toBe("10.0 MB");
  });

  it("count toward their video's size, whether the file or the row is added first", async () => {
    put("videos/u/1.mp4", 5);
    await trackFiles(seen);
    addRow("file-first", "/media/videos/u/1.mp4");
    addRow("row-first", "/media/videos/u/2.mp4", "/media/thumbnails/u/2.png");
    await trackFiles(seen);
    expect([sizeOf("file-first"), sizeOf("row-first")]).toEqual([5, 0]);
    put("videos/u/2.mp4", 7);
    put("thumbnails/u/2.png", 2);
    await trackFiles(seen);
    expect([sizeOf("file-first"), sizeOf("row-first")]).toEqual([5, 9]);
  });

  it("count toward the video's size, even if the video's row is inserted after the files have stopped growing", async () => {
    put("videos/u/1.mp4", 5);
    put("thumbnails/u/1.png", 2);
    await trackFiles(seen, LATER);
    addRow("v", "/media/videos/u/1.mp4", "/media/thumbnails/u/1.png");
    await trackFiles(seen, LATER);
    expect(sizeOf("v")).toBe(7);
  });

  it("are measured again while they are growing", async () => {
    put("videos/u/1.mp4", 2 * MB);
    await trackFiles(seen);
    fs.truncateSync(path.join(site.uploads, "videos/u/1.mp4"), 3 * MB);
    await trackFiles(seen, LATER);
    expect(await storageUsed()).toBe("3.0 MB");
    expect(seen.growing).toEqual([]);
  });

  it("are no longer counted once another tool has removed them", async () => {
    for (let file = 1; file <= 3; file++) put(`videos/u/${file}.mp4`, MB);
    addRow("v", "/media/videos/u/1.mp4");
    await trackFiles(seen, LATER);
    expect(await storageUsed()).toBe("3.0 MB");
    fs.rmSync(path.join(site.uploads, "videos/u/3.mp4"));
    await trackFiles(seen, LATER);
    expect(await storageUsed()).toBe("2.0 MB");
    expect(sizeOf("v")).toBe(MB);
  });

  it("are still counted while removals are paused because too many files are missing", async () => {
    put("videos/u/1.mp4", MB);
    addRow("v", "/media/videos/u/1.mp4");
    await trackFiles(seen);
    fs.rmSync(path.join(site.uploads, "videos/u/1.mp4"));
    await trackFiles(seen);
    expect(await storageUsed()).toBe("1.0 MB");
  });

  it("aren't read again if their folder hasn't changed", async () => {
    put("videos/u/1.mp4", MB);
    await trackFiles(seen, LATER);
    // If the site read the folder again, it would restore the deleted record.
    sqliteHandle().exec("DELETE FROM media_files");
    await trackFiles(seen, LATER);
    expect(sqliteHandle().prepare("SELECT count(*) FROM media_files").pluck().get()).toBe(0);
    put("videos/u/2.mp4", MB);
    await trackFiles(seen, LATER);
    expect(sqliteHandle().prepare("SELECT count(*) FROM media_files").pluck().get()).toBe(2);
  });

  it("aren't counted while they belong to an upload in progress", async () => {
    put("videos/u/1.mp4", MB);
    const reserved = path.join(site.uploads, "videos/u/1");
    fs.mkdirSync(reserved);
    await trackFiles(seen);
    expect(await storageUsed()).toBe("0.0 MB");
    fs.rmdirSync(reserved);
    await trackFiles(seen);
    expect(await storageUsed()).toBe("1.0 MB");
  });

  it("aren't counted if the uploads folder belongs to another site", async () => {
    fs.writeFileSync(path.join(site.uploads, "site.json"), '{"id":"another","clock":1}');
    put("videos/u/1.mp4", MB);
    await trackFiles(seen);
    expect(await storageUsed()).toBe("0.0 MB");
  });
});
