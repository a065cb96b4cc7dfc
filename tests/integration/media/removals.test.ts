import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MediaName } from "~/media/bucket.server";
import { enqueueRemovals, removeFiles } from "~/media/files/removals.server";
import { recordFile } from "~/media/media-files.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const VIDEO: MediaName = { bucket: "videos", path: "u/1.mp4" };
const FOLDER: MediaName = { bucket: "videos", path: "u/1" };
const at = ({ bucket, path: name }: MediaName) => path.join(site.uploads, bucket, name);
const exists = (name: MediaName) => fs.existsSync(at(name));
const removals = () =>
  sqliteHandle().prepare("SELECT path FROM removals ORDER BY id").pluck().all();

function put(name: MediaName, content = "video"): void {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), content);
}

const enqueue = (...files: MediaName[]) =>
  // Use a time that is slightly later than the files' timestamps, because those are rounded to the file system's
  // resolution.
  transaction(() => enqueueRemovals(files, { reason: "deleted" }, Date.now() + 1_000));

const removeDue = () => removeFiles(Date.now() + 1_000);

/** Inserts a row, as any tool might. */
function addRow(table: "videos" | "video_files", columns: Record<string, string>): void {
  const row = table === "videos" ? { title: "A", category: "desi", ...columns } : columns;
  const names = Object.keys(row);
  sqliteHandle()
    .prepare(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")})`,
    )
    .run(row);
}

describe("a file whose removal is enqueued", () => {
  it("is removed with its record and its folder of derived files", async () => {
    put(VIDEO);
    put({ bucket: "videos", path: "u/1/hls-a/master.m3u8" });
    await recordFile({ ...VIDEO, videoId: "v", kind: "video" });
    await recordFile({ ...FOLDER, videoId: "v", kind: "derived" });
    await enqueue(VIDEO, FOLDER);
    await removeDue();
    expect([exists(VIDEO), exists(FOLDER), removals()]).toEqual([false, false, []]);
    expect(sqliteHandle().prepare("SELECT bytes FROM storage").pluck().get()).toBe(0);
    expect(fs.readdirSync(path.join(site.uploads, "videos/.removing"))).toEqual([]);
  });

  it.each<[string, () => void]>([
    ["a video", () => addRow("videos", { id: "b", video_url: "/media/videos/u/1.mp4" })],
    [
      "a video's source column",
      () => addRow("videos", { id: "b", source_url: "/media/videos/u/1.mp4" }),
    ],
    [
      "a file that can be restored",
      () =>
        addRow("video_files", {
          ...{ id: "f", video_id: "b", state: "earlier" },
          video_url: "/media/videos/u/1.mp4",
        }),
    ],
    [
      "a deleted video",
      () =>
        sqliteHandle().exec(
          `INSERT INTO deleted_videos (id, title, row, deleted_at)
           VALUES ('b', 'B', '{"video_url":"/media/videos/u/1.mp4"}', '2026-01-01T00:00:00.000Z')`,
        ),
    ],
  ])("is kept with its derived files if %s now refers to it", async (_, refer) => {
    put(VIDEO);
    put({ bucket: "videos", path: "u/1/hls-a/master.m3u8" });
    await enqueue(VIDEO, FOLDER);
    refer();
    await removeDue();
    expect([exists(VIDEO), exists(FOLDER), removals()]).toEqual([true, true, []]);
  });

  it("is removed without its derived files if its video now has another file", async () => {
    const source = { bucket: "videos", path: "u/1.avi" } as const;
    put(VIDEO);
    put(source);
    put({ bucket: "videos", path: "u/1/hls-a/master.m3u8" });
    put({ bucket: "videos", path: "u/1/hls-b/master.m3u8" });
    addRow("videos", {
      ...{ id: "v", video_url: "/media/videos/u/1.mp4" },
      hls_url: "/media/videos/u/1/hls-b/master.m3u8",
    });
    const [old, current] = [
      { bucket: "videos", path: "u/1/hls-a" },
      { bucket: "videos", path: "u/1/hls-b" },
    ] as const;
    await enqueue(source, old, current, FOLDER);
    await removeDue();
    expect([source, old, current, VIDEO].map(exists)).toEqual([false, false, true, true]);
    expect(removals()).toEqual([]);
  });

  it("is kept while a job or an import is using it", async () => {
    put(VIDEO);
    await recordFile({ ...VIDEO, videoId: "v", kind: "video" });
    sqliteHandle().exec(
      "INSERT INTO jobs (video_id, kind, priority, state, worker) VALUES ('v', 'ladder', 1, 'running', 'w')",
    );
    await enqueue(VIDEO);
    await removeDue();
    expect([exists(VIDEO), removals()]).toEqual([true, ["u/1.mp4"]]);
    sqliteHandle().exec("DELETE FROM jobs");
    await removeDue();
    expect([exists(VIDEO), removals()]).toEqual([false, []]);
  });

  it("is kept if another tool has written a file to the same path in the meantime", async () => {
    put(VIDEO);
    await transaction(() => enqueueRemovals([VIDEO], { reason: "deleted" }, Date.now() - 60_000));
    await removeDue();
    expect([exists(VIDEO), removals()]).toEqual([true, []]);
  });

  it("may already be missing", async () => {
    await enqueue(VIDEO, FOLDER);
    await removeDue();
    expect(removals()).toEqual([]);
  });

  it("stays enqueued if it can't be removed, while other files are removed", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const thumbnail = { bucket: "thumbnails", path: "u/1.webp" } as const;
    put(VIDEO);
    put(thumbnail);
    const obstacle = path.join(site.uploads, "videos/.removing");
    fs.writeFileSync(obstacle, "no folder");
    await enqueue(VIDEO, thumbnail);
    await removeDue();
    expect([exists(VIDEO), exists(thumbnail), removals()]).toEqual([true, false, ["u/1.mp4"]]);
    expect(console.error).toHaveBeenCalledOnce();
    fs.rmSync(obstacle);
    await removeDue();
    expect(exists(VIDEO)).toBe(false);
    vi.restoreAllMocks();
  });
});

describe("a removal whose process was killed after the file was set aside", () => {
  /** Creates the state in which `removeFiles` leaves the files if it is killed before its transaction commits. */
  async function interrupted(): Promise<string> {
    put(VIDEO);
    await enqueue(VIDEO);
    const aside = path.join(site.uploads, "videos/.removing/u%2F1.mp4");
    fs.mkdirSync(path.dirname(aside), { recursive: true });
    fs.renameSync(at(VIDEO), aside);
    return aside;
  }

  it("is completed", async () => {
    const aside = await interrupted();
    await removeDue();
    expect([exists(VIDEO), fs.existsSync(aside), removals()]).toEqual([false, false, []]);
  });

  it("is undone if a row now refers to the file", async () => {
    const aside = await interrupted();
    addRow("videos", { id: "b", video_url: "/media/videos/u/1.mp4" });
    await removeDue();
    expect([exists(VIDEO), fs.existsSync(aside), removals()]).toEqual([true, false, []]);
  });

  it("is completed even if the file's encoded name exceeds the limit on file names", async () => {
    const long = { bucket: "videos", path: `u/${"x".repeat(251)}.mp4` } as const;
    put(long);
    const pieces = encodeURIComponent(long.path).match(/.{1,200}/g)!;
    const aside = path.join(site.uploads, "videos/.removing", pieces.join("+/"));
    fs.mkdirSync(path.dirname(aside), { recursive: true });
    fs.renameSync(at(long), aside);
    await removeDue();
    expect([exists(long), fs.existsSync(aside)]).toEqual([true, false]);

    await enqueue(long);
    await removeDue();
    expect([exists(long), fs.existsSync(aside), removals()]).toEqual([false, false, []]);
  });

  it("is undone if the database is an older copy in which the removal isn't recorded", async () => {
    const aside = await interrupted();
    sqliteHandle().exec("DELETE FROM removals");
    await removeDue();
    expect([exists(VIDEO), fs.existsSync(aside)]).toEqual([true, false]);
  });

  it("never replaces an existing file when it is undone", async () => {
    const aside = await interrupted();
    sqliteHandle().exec("DELETE FROM removals");
    put(VIDEO, "another");
    await removeDue();
    expect(fs.readFileSync(at(VIDEO), "utf8")).toBe("another");
    expect(fs.readFileSync(aside, "utf8")).toBe("video");
  });
});
