import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordFile } from "~/media/media-files.server";
import { checkLibrary, removeStray } from "~/studio/library/check-library.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";
import { filesIn } from "../../upload-requests";

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
const noted = (path: string) =>
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

  it("finds nothing wrong with what belongs together, and measures it", async () => {
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [], entries: 6, bytes: 210 });
    expect(storage()).toBe(210);
  });

  it("finds and removes files and folders without a row, and nothing else", async () => {
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
    expect(await removeStray(stray)).toHaveLength(3);
    expect(filesIn(site.uploads)).toHaveLength(before - 3);
    expect(storage()).toBe(210);
    expect((await checkLibrary()).stray).toEqual([]);
  });

  it("spares a file that has got its row meanwhile", async () => {
    put("videos/u/3.mp4", 7);
    const { stray } = await checkLibrary();
    addVideo("late", { video_url: "/media/videos/u/3.mp4" });
    expect(await removeStray(stray)).toEqual([]);
    expect(filesIn(site.uploads)).toContain("videos/u/3.mp4");
  });

  it("reports what a row names and the disk does not have", async () => {
    fs.rmSync(path.join(site.uploads, "thumbnails/u/1.webp"));
    expect((await checkLibrary()).missing).toEqual([
      { videoId: "whole", title: "whole", url: "/media/thumbnails/u/1.webp" },
    ]);
  });

  it("compares every row of a library that is read in parts", async () => {
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

  it("leaves an upload alone that is still being brought in, until that is a day old", async () => {
    // The copy across file systems that has begun, beside the folder by which the upload holds its name.
    fs.mkdirSync(path.join(site.uploads, "videos/u/7"), { recursive: true });
    put("videos/u/7.mp4", 30);
    put("thumbnails/u/7.webp", 3);
    const report = await checkLibrary();
    expect([report.stray, report.bytes, storage()]).toEqual([[], 210, 210]);
    expect(
      await removeStray([entry("videos", "u/7.mp4"), entry("thumbnails", "u/7.webp")]),
    ).toEqual([]);
    expect(filesIn(site.uploads)).toContain("videos/u/7.mp4");

    const old = new Date(Date.now() - 25 * 3_600_000);
    fs.utimesSync(path.join(site.uploads, "videos/u/7"), old, old);
    expect(await removeStray((await checkLibrary()).stray)).toHaveLength(3);
    expect(storage()).toBe(210);
  });

  it("keeps what others note while it looks", async () => {
    await checkLibrary();
    put("videos/u/8.mp4", 80);
    // Some hundred files keep the check busy while an upload and a conversion come to their ends.
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
    expect(noted("u/8.mp4")).toEqual({ video_id: "new", bytes: 80 });
    expect(noted("u/1")).toEqual({ video_id: "whole", bytes: 777 });
  });

  it("forgets the digests of videos that are nowhere any more", async () => {
    const add = sqliteHandle().prepare("INSERT INTO video_digests VALUES (?, ?)");
    for (const id of ["whole", "gone"]) add.run(id, "a".repeat(64));
    await checkLibrary();
    const left = sqliteHandle().prepare("SELECT video_id FROM video_digests").pluck().all();
    expect(left).toEqual(["whole"]);
  });

  it("corrects a figure that has gone wrong", async () => {
    sqliteHandle().exec("UPDATE storage SET bytes = 0");
    await checkLibrary();
    expect(storage()).toBe(210);
    sqliteHandle().exec("UPDATE storage SET bytes = 99999");
    await checkLibrary();
    expect(storage()).toBe(210);
  });
});
