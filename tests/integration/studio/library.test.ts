import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  checkLibrary,
  quarantineDocuments,
  quarantineStray,
} from "~/features/operations/library-check/check-library.server";
import { resumeRemovals } from "~/features/operations/library-check/paused-removals.server";
import { purge } from "~/features/trash/trash.server";
import { removeFiles } from "~/media/files/removals.server";
import { recordFile } from "~/media/media-files.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";
import { filesIn } from "../../upload-requests";

const IN_8_DAYS = Date.now() + 8 * 86_400_000;

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

function put(name: string, bytes: number): void {
  const file = path.join(site.uploads, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, Buffer.alloc(bytes));
}

function addVideo(id: string, columns: Record<string, string>): void {
  const row: Record<string, string> = { id, title: id, category: "desi", ...columns };
  const names = Object.keys(row);
  sqliteHandle()
    .prepare(`INSERT INTO videos (${names}) VALUES (${names.map((name) => `@${name}`)})`)
    .run(row);
}

const storage = () => sqliteHandle().prepare("SELECT bytes FROM storage").pluck().get();

const entry = (bucket: "videos" | "thumbnails", path: string) => ({
  bucket,
  path,
  isFolder: false,
  bytes: 1,
});
const recordOf = (path: string) =>
  sqliteHandle()
    .prepare("SELECT video_id, bytes FROM media_files WHERE bucket = 'videos' AND path = ?")
    .get(path);

describe("checking the library", () => {
  beforeEach(() => {
    addVideo("whole", {
      video_url: "/media/videos/u/1.mp4",
      thumbnail_url: "/media/thumbnails/u/1.webp",
    });
    addVideo("converted", {
      video_url: "/media/videos/u/2/video.mp4",
      source_url: "/media/videos/u/2.avi",
    });
    put("videos/u/1.mp4", 100);
    put("thumbnails/u/1.webp", 10);
    put("videos/u/1/hls/master.m3u8", 5);
    put("thumbnails/u/1/storyboard-1.webp", 5);
    put("videos/u/2.avi", 50);
    put("videos/u/2/video.mp4", 40);
  });

  it("finds no problems in a consistent library, and measures its size", async () => {
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [], entries: 6, bytes: 210 });
    expect(storage()).toBe(210);
  });

  it("quarantines only files and folders without a row", async () => {
    put("videos/u/3.mp4", 7);
    put("thumbnails/u/4.webp", 8);
    put("videos/u/5/hls/a.ts", 9);
    const { stray } = await checkLibrary();
    expect(stray.map(({ bucket, path, bytes }) => [`${bucket}/${path}`, bytes])).toEqual([
      ["videos/u/3.mp4", 7],
      ["videos/u/5", 9],
      ["thumbnails/u/4.webp", 8],
    ]);
    const before = filesIn(site.uploads).length;
    expect(await quarantineStray(stray, IN_8_DAYS)).toHaveLength(3);
    const day = new Date(IN_8_DAYS).toISOString().slice(0, 10);
    const files = filesIn(site.uploads);
    expect(files).toHaveLength(before);
    for (const name of ["videos/u/3.mp4", "videos/u/5/hls/a.ts", "thumbnails/u/4.webp"]) {
      expect(files).not.toContain(name);
      expect(files).toContain(`.quarantine/${day}/${name}`);
    }
    expect(storage()).toBe(210);
    expect((await checkLibrary()).stray).toEqual([]);
  });

  it("leaves a file without a row in place until it is a week old", async () => {
    put("videos/u/3.mp4", 7);
    // Simulates a copy that keeps the source file's modification time.
    const old = new Date("2020-01-01");
    fs.utimesSync(path.join(site.uploads, "videos/u/3.mp4"), old, old);
    const { stray } = await checkLibrary();
    expect(await quarantineStray(stray)).toEqual([]);
    expect(filesIn(site.uploads)).toContain("videos/u/3.mp4");
  });

  it("keeps two files with the same name separate in the quarantine", async () => {
    for (const bytes of [7, 8]) {
      put("videos/u/3.mp4", bytes);
      await quarantineStray((await checkLibrary()).stray, IN_8_DAYS);
    }
    const day = new Date(IN_8_DAYS).toISOString().slice(0, 10);
    const sizes = [day, `${day}-2`].map(
      (folder) =>
        fs.statSync(path.join(site.uploads, ".quarantine", folder, "videos/u/3.mp4")).size,
    );
    expect(sizes).toEqual([7, 8]);
  });

  it.each([
    ["video_url", "videos/u/9/video.mp4"],
    ["hls_url", "videos/u/9/hls/master.m3u8"],
    ["storyboard_url", "thumbnails/u/9/storyboard.webp"],
    ["preview_url", "videos/u/9/preview.mp4"],
    ["generated_poster_url", "thumbnails/u/9.webp"],
  ])("leaves a file in place if a row references it as %s", async (column, name) => {
    put(name, 9);
    addVideo("other", { [column]: `/media/${name}` });
    expect((await checkLibrary()).stray).toEqual([]);
  });

  it("leaves files of deleted videos and files that are about to be removed in place", async () => {
    put("videos/u/3.mp4", 7);
    put("videos/u/3/hls/a.ts", 7);
    put("thumbnails/u/3.webp", 7);
    put("thumbnails/u/3/480.webp", 7);
    const row = JSON.stringify({
      video_url: "/media/videos/u/3.mp4",
      thumbnail_url: "/media/thumbnails/u/3.webp",
    });
    sqliteHandle()
      .prepare(
        `INSERT INTO deleted_videos (id, title, row, deleted_at, bytes)
         VALUES ('deleted', 'A', ?, '2026-01-01T00:00:00.000Z', 1)`,
      )
      .run(row);
    expect((await checkLibrary()).stray).toEqual([]);
    await purge(["deleted"]);
    expect((await checkLibrary()).stray).toEqual([]);
  });

  it("leaves the DASH manifest of an earlier version in place until its video is removed", async () => {
    put("videos/u/3/hls/master.m3u8", 7);
    put("videos/u/3/hls/manifest.mpd", 7);
    const hls_url = "/media/videos/u/3/hls/master.m3u8";
    addVideo("other", { video_url: "/media/videos/u/3.mp4", hls_url });
    const strays = async () => (await checkLibrary()).stray;
    expect(await strays()).toEqual([]);
    const row = JSON.stringify({ video_url: "/media/videos/u/3.mp4", hls_url });
    sqliteHandle().exec("DELETE FROM videos WHERE id = 'other'");
    sqliteHandle()
      .prepare(
        `INSERT INTO deleted_videos (id, title, row, deleted_at, bytes)
         VALUES ('other', 'A', ?, '2026-01-01T00:00:00.000Z', 1)`,
      )
      .run(row);
    expect(await strays()).toEqual([]);
    await purge(["other"]);
    await removeFiles();
    expect(filesIn(site.uploads).filter((name) => name.includes("/3/"))).toEqual([]);
  });

  it("keeps all files and records while most of the recorded files are missing", async () => {
    put("videos/u/3.mp4", 7);
    const { stray } = await checkLibrary();
    for (const name of ["videos/u/1.mp4", "videos/u/2", "thumbnails/u/1.webp"]) {
      fs.rmSync(path.join(site.uploads, name), { recursive: true });
    }
    expect((await checkLibrary()).pausedBy).toBe("missing-files");
    expect(recordOf("u/1.mp4")).toEqual({ video_id: "whole", bytes: 100 });
    expect(await quarantineStray(stray, IN_8_DAYS)).toEqual([]);
    await resumeRemovals();
    expect(recordOf("u/1.mp4")).toBeUndefined();
    expect(await quarantineStray(stray, IN_8_DAYS)).toHaveLength(1);
  });

  it("quarantines documents that don't belong to a performer", async () => {
    put("documents/unknown", 7);
    expect(await quarantineDocuments(["unknown"])).toEqual([]);
    expect(await quarantineDocuments(["unknown"], IN_8_DAYS)).toEqual(["unknown"]);
    expect(filesIn(site.uploads).filter((name) => name.endsWith("documents/unknown"))).toHaveLength(
      1,
    );
  });

  it("keeps a file whose row was written in the meantime", async () => {
    put("videos/u/3.mp4", 7);
    const { stray } = await checkLibrary();
    addVideo("late", { video_url: "/media/videos/u/3.mp4" });
    expect(await quarantineStray(stray, IN_8_DAYS)).toEqual([]);
    expect(filesIn(site.uploads)).toContain("videos/u/3.mp4");
  });

  it("reports files that a row references but that are missing from the disk", async () => {
    fs.rmSync(path.join(site.uploads, "thumbnails/u/1.webp"));
    expect((await checkLibrary()).missing).toEqual([
      { videoId: "whole", title: "whole", url: "/media/thumbnails/u/1.webp" },
    ]);
  });

  it("reads the library in batches, and checks every row", async () => {
    const before = await checkLibrary();
    const names = Array.from({ length: 1_001 }, (_, n) => `u/${5_000 + n}.mp4`);
    for (const name of names) addVideo(name, { video_url: `/media/videos/${name}` });
    put(`videos/${names[1_000]}`, 7);
    const { missing, stray, bytes } = await checkLibrary();
    expect(missing.slice(before.missing.length).map(({ videoId }) => videoId)).toEqual(
      names.slice(0, 1_000),
    );
    expect([stray, bytes]).toEqual([before.stray, before.bytes + 7]);
  });

  it("ignores a running import until it is a day old", async () => {
    // Simulates a running copy across file systems, next to the folder with which the upload reserves its name.
    fs.mkdirSync(path.join(site.uploads, "videos/u/7"), { recursive: true });
    put("videos/u/7.mp4", 30);
    put("thumbnails/u/7.webp", 3);
    const report = await checkLibrary();
    expect([report.stray, report.bytes, storage()]).toEqual([[], 210, 210]);
    expect(
      await quarantineStray(
        [entry("videos", "u/7.mp4"), entry("thumbnails", "u/7.webp")],
        IN_8_DAYS,
      ),
    ).toEqual([]);
    expect(filesIn(site.uploads)).toContain("videos/u/7.mp4");

    const old = new Date(Date.now() - 25 * 3_600_000);
    fs.utimesSync(path.join(site.uploads, "videos/u/7"), old, old);
    expect(await quarantineStray((await checkLibrary()).stray, IN_8_DAYS)).toHaveLength(3);
    expect(storage()).toBe(210);
  });

  it("keeps data that other requests record while it is running", async () => {
    await checkLibrary();
    put("videos/u/8.mp4", 80);
    // Several hundred files keep the check busy until an upload and a conversion are recorded.
    for (let n = 100; n < 400; n++) put(`videos/u/${n}.mp4`, 1);
    const checking = checkLibrary();
    addVideo("new", { video_url: "/media/videos/u/8.mp4" });
    await recordFile({ bucket: "videos", path: "u/8.mp4", videoId: "new", kind: "video" });
    await recordFile({
      bucket: "videos",
      path: "u/1",
      videoId: "whole",
      kind: "derived",
      bytes: 777,
    });
    const { stray } = await checking;
    expect(stray.map(({ path }) => path)).not.toContain("u/8.mp4");
    expect(recordOf("u/8.mp4")).toEqual({ video_id: "new", bytes: 80 });
    expect(recordOf("u/1")).toEqual({ video_id: "whole", bytes: 777 });
  });

  it("deletes the digests for videos that no longer exist", async () => {
    const add = sqliteHandle().prepare("INSERT INTO video_digests VALUES (?, ?)");
    for (const id of ["whole", "gone"]) add.run(id, "a".repeat(64));
    await checkLibrary();
    const left = sqliteHandle().prepare("SELECT video_id FROM video_digests").pluck().all();
    expect(left).toEqual(["whole"]);
  });

  it("corrects a wrong total", async () => {
    sqliteHandle().exec("UPDATE storage SET bytes = 0");
    await checkLibrary();
    expect(storage()).toBe(210);
    sqliteHandle().exec("UPDATE storage SET bytes = 99999");
    await checkLibrary();
    expect(storage()).toBe(210);
  });
});
