import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkLibrary, removeStray } from "~/studio/library.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../temporary-site";
import { filesIn } from "../upload-requests";

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

  it("corrects a figure that has gone wrong", async () => {
    sqliteHandle().exec("UPDATE storage SET bytes = 0");
    await checkLibrary();
    expect(storage()).toBe(210);
    sqliteHandle().exec("UPDATE storage SET bytes = 99999");
    await checkLibrary();
    expect(storage()).toBe(210);
  });
});
