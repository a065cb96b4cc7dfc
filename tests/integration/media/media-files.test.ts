import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forgetFiles, recordFile } from "~/media/media-files.server";
import { ensureProjected } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const one = (sql: string) => sqliteHandle().prepare(sql).get();
const insertVideo = (id: string, columns = "", values = "") =>
  sqliteHandle().exec(
    `INSERT INTO videos (id, title, category ${columns}) VALUES ('${id}', 'A', 'amateur' ${values})`,
  );

describe("the recorded file size", () => {
  it("is updated when file records are added, replaced or deleted", async () => {
    insertVideo("a");
    const file = { bucket: "videos", path: "u/1.mp4", videoId: "a", kind: "video" } as const;
    await recordFile({ ...file, bytes: 700 });
    await recordFile({ ...file, path: "u/1/hls", kind: "derived", bytes: 200 });
    await recordFile({ ...file, path: "u/2.mp4", videoId: null, bytes: 50 });
    expect(one("SELECT bytes FROM storage")).toEqual({ bytes: 950 });
    expect(one("SELECT bytes FROM videos")).toEqual({ bytes: 900 });

    await recordFile({ ...file, bytes: 300 });
    expect(one("SELECT bytes FROM storage")).toEqual({ bytes: 550 });
    await ensureProjected();
    expect(one("SELECT bytes FROM video_totals")).toEqual({ bytes: 500 });

    await forgetFiles([{ bucket: "videos", path: "u/1" }]);
    expect(one("SELECT bytes FROM storage")).toEqual({ bytes: 350 });
    await forgetFiles([{ bucket: "videos", path: "u/1.mp4" }]);
    expect(one("SELECT bytes FROM videos")).toEqual({ bytes: 0 });
    expect(one("SELECT bytes FROM storage")).toEqual({ bytes: 50 });
  });

  it("is measured for a file or a folder on the disk", async () => {
    fs.mkdirSync(path.join(site.uploads, "videos/u/1/hls"), { recursive: true });
    fs.writeFileSync(path.join(site.uploads, "videos/u/1/preview.mp4"), "12345");
    fs.writeFileSync(path.join(site.uploads, "videos/u/1/hls/master.m3u8"), "123");
    await recordFile({ bucket: "videos", path: "u/1", videoId: null, kind: "derived" });
    expect(one("SELECT bytes FROM storage")).toEqual({ bytes: 8 });
  });

  it("is added to a row even if the row is inserted after its files", async () => {
    const file = { bucket: "videos", path: "u/1.mp4", videoId: "a", kind: "video" } as const;
    await recordFile({ ...file, bytes: 700 });
    insertVideo("a");
    await ensureProjected();
    expect(one("SELECT bytes FROM videos")).toEqual({ bytes: 700 });
    expect(one("SELECT category, videos, bytes FROM video_totals")).toEqual({
      category: "amateur",
      videos: 1,
      bytes: 700,
    });
  });
});

describe("the video totals", () => {
  const change = async (sql: string) => {
    sqliteHandle().exec(sql);
    await ensureProjected();
  };

  it("are updated after inserts, updates, views and deletions by any tool", async () => {
    insertVideo("a", ", views", ", 5");
    insertVideo("b", ", views", ", 7");
    await ensureProjected();
    await change("UPDATE videos SET status = 'hidden', views = 9 WHERE id = 'a'");
    await change("UPDATE videos SET category = 'desi', views = 8 WHERE id = 'b'");
    const totals = () =>
      sqliteHandle().prepare("SELECT status, category, videos, views FROM video_totals").all();
    expect(totals()).toEqual([
      { status: "hidden", category: "amateur", videos: 1, views: 9 },
      { status: "published", category: "desi", videos: 1, views: 8 },
    ]);
    await change("DELETE FROM videos WHERE id = 'a'");
    expect(totals()).toEqual([{ status: "published", category: "desi", videos: 1, views: 8 }]);
  });

  it("include the number of views on each day", async () => {
    insertVideo("a", ", views", ", 5");
    await ensureProjected();
    await change("UPDATE videos SET views = views + 2");
    await change("UPDATE videos SET views = views + 1");
    await change("UPDATE videos SET views = 0");
    expect(one("SELECT video_id, day, views FROM view_days")).toEqual({
      video_id: "a",
      day: new Date().toISOString().slice(0, 10),
      views: 3,
    });
  });
});

describe("a duration", () => {
  it.each([
    ["5:30", 330],
    ["75:30", 4530],
    ["330", 330],
    ["0:00", 0],
    ["", 0],
    ["1:02:03", 3723],
    ["10:00:00", 36_000],
    ["soon", 0],
    ["-5:30", 0],
    ["999999999999999999999:00", 2 ** 31 - 1],
  ])("is parsed (%s is %i seconds)", (duration, seconds) => {
    insertVideo("a", ", duration", `, '${duration}'`);
    expect(one("SELECT seconds FROM videos")).toEqual({ seconds });
  });
});
