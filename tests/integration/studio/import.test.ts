import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setDeactivated } from "~/features/accounts/user-list.server";
import { blockUser } from "~/features/accounts/users/block.server";
import {
  checkLibrary,
  quarantineStray,
} from "~/features/operations/library-check/check-library.server";
import { planExport } from "~/features/upload/import/earlier-system.server";
import type { ImportMode } from "~/features/upload/import/files.server";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { announce } from "~/features/upload/import/journal.server";
import { removeFiles } from "~/media/files/removals.server";
import { titleFromFileName } from "~/shared/file-title";
import { sqliteHandle } from "~db/client.server";
import { mp4Clip, webmClip } from "../../clips";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { withoutMetadata } from "../../without-metadata";

let site: ReturnType<typeof useTemporarySite>;
let folder: string;
let userId: string;
beforeEach(() => {
  site = useTemporarySite();
  folder = path.join(site.folder, "to-import");
  fs.mkdirSync(folder);
  userId = insertUser().id;
});
afterEach(() => site.remove());

const CLIP = fs.readFileSync(mp4Clip(2));
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Returns the clip with different bytes at the end, in an MP4 box that players skip. */
function video(name: string, mark: string): string {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const box = Buffer.concat([Buffer.alloc(4), Buffer.from("free"), Buffer.from(mark)]);
  box.writeUInt32BE(box.length);
  fs.writeFileSync(file, Buffer.concat([CLIP, box]));
  return file;
}

function put(name: string, content: string | Buffer): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), content);
}

interface Row {
  id: string;
  title: string;
  category: string;
  tags: string | null;
  status: string;
  duration: string;
  views: number;
  video_url: string;
  source_url: string | null;
  thumbnail_url: string | null;
  bytes: number;
  created_at: string;
}
const rows = () =>
  sqliteHandle().prepare("SELECT * FROM videos ORDER BY created_at").all() as Row[];
const fileOf = (url: string) => path.join(site.uploads, url.replace(/^\/media\//, ""));
const filesIn = (bucket: string) =>
  fs
    .readdirSync(path.join(site.uploads, bucket), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile());

const defaults = { category: "english", status: "published" } as const;
async function importFolder(mode: ImportMode = "copy", signal?: AbortSignal) {
  const plan = await planFolder(folder, defaults);
  return importVideos(plan, { userId, mode, ...(signal && { signal }) });
}

describe("importing a folder", () => {
  it("imports every video with its metadata", async () => {
    video("late_night.mp4", "1");
    put("late_night.jpg", PIXEL);
    video("desi/Second-video.mp4", "2");
    video("third.mp4", "3");
    put(
      "third.mp4.json",
      JSON.stringify({ title: "The third", tags: ["a", "b"], status: "review" }),
    );
    video("fourth.mp4", "4");
    put(
      "metadata.csv",
      'file,title,category,tags,description\nfourth.mp4,"Four, of four",premium,"x, y",Text\n',
    );
    put("notes.txt", "no video");
    const summary = await importFolder();
    expect(summary).toMatchObject({
      imported: 4,
      alreadyImported: 0,
      duplicates: [],
      failures: [],
    });
    const byTitle = Object.fromEntries(rows().map((row) => [row.title, row]));
    expect(byTitle["Late night"]).toMatchObject({
      category: "english",
      duration: "0:02",
      status: "published",
      source_url: null,
      thumbnail_url: expect.stringMatching(/\.webp$/),
      poster_colors: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(byTitle["Second video"]).toMatchObject({ category: "desi", tags: null });
    expect(byTitle["The third"]).toMatchObject({ tags: '["a","b"]', status: "review" });
    expect(byTitle["Four, of four"]).toMatchObject({ category: "premium", tags: '["x","y"]' });
    for (const row of rows()) expect(fs.existsSync(fileOf(row.video_url))).toBe(true);
    expect(fs.existsSync(fileOf(byTitle["Late night"]!.thumbnail_url!))).toBe(true);
    expect(fs.existsSync(path.join(folder, "late_night.mp4"))).toBe(true);
    // Disk usage is recorded, and no reserved base paths are left.
    const used = sqliteHandle().prepare("SELECT bytes FROM storage").pluck().get();
    const all = [...filesIn("videos"), ...filesIn("thumbnails")];
    expect(used).toBe(
      all.reduce((sum, each) => sum + fs.statSync(path.join(each.parentPath, each.name)).size, 0),
    );
    expect(
      fs
        .readdirSync(path.join(site.uploads, "videos", userId))
        .filter((name) => !name.includes(".")),
    ).toEqual([]);
  });

  it.each(["copy", "move", "link"] as const)("imports files by %s", async (mode) => {
    const source = video("one.mp4", "1");
    fs.writeFileSync(source, withoutMetadata(fs.readFileSync(source)));
    const inode = fs.statSync(source).ino;
    await importFolder(mode);
    const imported = fs.statSync(fileOf(rows()[0]!.video_url));
    expect(fs.existsSync(source)).toBe(mode !== "move");
    expect(imported.ino === inode).toBe(mode !== "copy");
  });

  it("copies instead of linking if private metadata has to be removed, and keeps the source file", async () => {
    const source = video("one.mp4", "1");
    const before = fs.readFileSync(source);
    await importFolder("link");
    const imported = fs.readFileSync(fileOf(rows()[0]!.video_url));
    expect(imported.equals(withoutMetadata(before))).toBe(true);
    expect(imported.equals(before)).toBe(false);
    expect(fs.readFileSync(source).equals(before)).toBe(true);
  });

  it("skips exact duplicates, in the catalogue and in the folder", async () => {
    video("one.mp4", "same");
    await importFolder();
    video("again.mp4", "same");
    video("two.mp4", "other");
    video("two-again.mp4", "other");
    const summary = await importFolder();
    expect(summary).toMatchObject({ imported: 1, alreadyImported: 1 });
    expect(summary.duplicates).toEqual([
      { name: "again.mp4", of: "One" },
      { name: "two.mp4", of: "Two again" },
    ]);
    expect(filesIn("videos")).toHaveLength(2);
  });

  it("reports an error for each bad file, and imports the others", async () => {
    video("good.mp4", "1");
    put("broken.mp4", "this is text");
    put("cut.mp4", CLIP.subarray(0, 400));
    video("odd.mp4", "2");
    put("odd.json", JSON.stringify({ category: "cooking" }));
    video("worse.mp4", "3");
    put("worse.json", "not json");
    const summary = await importFolder();
    expect(summary.imported).toBe(1);
    const reasons = Object.fromEntries(summary.failures.map(({ name, reason }) => [name, reason]));
    expect(Object.keys(reasons).sort()).toEqual(["broken.mp4", "cut.mp4", "odd.mp4", "worse.mp4"]);
    expect(reasons["broken.mp4"]).toMatch(/supported video/);
    expect(reasons["odd.mp4"]).toBe('unknown category "cooking".');
    expect(reasons["worse.mp4"]).toBe("worse.json isn't a JSON object.");
    expect(filesIn("videos")).toHaveLength(1);
    expect(
      sqliteHandle()
        .prepare("SELECT count(*) FROM imports WHERE finished_at IS NULL")
        .pluck()
        .get(),
    ).toBe(0);
  });

  it.each([
    ["mp4", mp4Clip(2)],
    ["webm", webmClip(2)],
  ])("reads the duration of %s with ffprobe", async (ending, clip) => {
    put(`clip.${ending}`, fs.readFileSync(clip));
    await importFolder();
    const { duration, video_url, source_url } = rows()[0]!;
    expect(duration).toBe("0:02");
    expect(video_url || source_url).toMatch(new RegExp(`\\.${ending}$`));
  });

  it("stops on request, and resumes where it stopped", async () => {
    for (let n = 0; n < 6; n++) video(`clip${n}.mp4`, String(n));
    const controller = new AbortController();
    const plan = await planFolder(folder, defaults);
    const summary = await importVideos(plan, {
      userId,
      mode: "copy",
      signal: controller.signal,
      // Stops the import as soon as the third file has been read.
      onProgress: (() => {
        let read = 0;
        return (bytes: number) => {
          read += bytes;
          if (read >= 3 * CLIP.length) controller.abort();
        };
      })(),
    });
    expect(summary.interrupted).toBe(true);
    expect(summary.imported).toBeLessThan(6);
    expect(filesIn("videos")).toHaveLength(summary.imported);
    const rest = await importFolder();
    expect(rest).toMatchObject({
      imported: 6 - summary.imported,
      alreadyImported: summary.imported,
    });
  });

  it.each([
    ["blocked", (ownerId: string) => blockUser(userId, ownerId, false)],
    ["deactivated", (ownerId: string) => setDeactivated(userId, true, ownerId)],
  ])("stops importing once its account is %s", async (_, end) => {
    const owner = insertUser("owner@example.com");
    sqliteHandle().prepare("UPDATE users SET role = 'editor' WHERE id = ?").run(userId);
    for (const name of ["one.mp4", "two.mp4"]) video(name, name);
    const plan = await planFolder(folder, defaults);
    let ended: Promise<unknown> | undefined;
    const importing = importVideos(plan, {
      userId,
      mode: "move",
      // At this point, the first file is in the bucket, but its row isn't written yet.
      onProgress(_, files) {
        if (files > 0) ended ??= end(owner.id);
      },
    });
    await expect(importing).rejects.toThrow("The importing account was deactivated or deleted.");
    await ended;
    await removeFiles();
    expect([rows(), filesIn("videos")]).toEqual([[], []]);
    expect(fs.readdirSync(folder)).toEqual(["one.mp4", "two.mp4"]);
    await setDeactivated(userId, false, owner.id);
    expect(await importFolder("move")).toMatchObject({ imported: 2 });
  });

  it("rolls back a killed import, and doesn't touch a running one", async () => {
    video("one.mp4", "1");
    const gone = 2 ** 30;
    for (const [uploadId, pid] of [
      [1, gone],
      [2, process.ppid],
      [3, gone],
    ] as const) {
      put(`../uploads/videos/${userId}/${uploadId}.mp4`, "half a fi");
      fs.mkdirSync(path.join(site.uploads, "videos", userId, String(uploadId)));
      const source = video(`../elsewhere/${uploadId}.mp4`, "of a killed import");
      const { size, mtimeMs } = fs.statSync(source);
      const plan = { source, bytes: size, modifiedMs: mtimeMs, videoId: "x" };
      await announce([{ ...plan, target: `${userId}/${uploadId}.mp4` }]);
      sqliteHandle().prepare("UPDATE imports SET process = ? WHERE source = ?").run(pid, source);
      // Simulates a backup that was created while the file was being moved.
      if (uploadId === 3) fs.rmSync(source);
    }
    expect(await importFolder()).toMatchObject({ imported: 1 });
    await removeFiles();
    const left = fs.readdirSync(path.join(site.uploads, "videos", userId));
    expect(left).not.toContain("1.mp4");
    expect(left).not.toContain("1");
    expect(left).toEqual(expect.arrayContaining(["2", "2.mp4", "3.mp4"]));
  });

  it("doesn't write a row for a file that another process has removed", async () => {
    const source = video("one.mp4", "1");
    sqliteHandle().exec(
      "CREATE TEMP TRIGGER taken AFTER INSERT ON videos BEGIN DELETE FROM imports; END",
    );
    await expect(importFolder("move")).rejects.toThrow(
      "Another process removed some of the imported files.",
    );
    await removeFiles();
    expect([rows(), filesIn("videos"), fs.existsSync(source)]).toEqual([[], [], true]);
    sqliteHandle().exec("DROP TRIGGER taken");
    expect(await importFolder("move")).toMatchObject({ imported: 1 });
  });
});

describe("an import during a library check", () => {
  it("keeps its files, which don't have rows yet", async () => {
    const target = `${userId}/1763709999005`;
    for (const name of [`videos/${target}.mp4`, `thumbnails/${target}.webp`]) {
      put(`../uploads/${name}`, "half a fi");
    }
    fs.mkdirSync(path.join(site.uploads, "videos", userId, "1763709999000"));
    const plan = { source: "/a.mp4", bytes: 1, modifiedMs: 1, videoId: "x" };
    await announce([{ ...plan, target: `${target}.mp4` }]);
    const by = sqliteHandle().prepare("UPDATE imports SET process = ?");
    by.run(process.ppid);
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [], entries: 3 });
    by.run(2 ** 30);
    const { stray } = await checkLibrary();
    expect(stray).toHaveLength(3);
    by.run(process.ppid);
    expect(await quarantineStray(stray, Date.now() + 8 * 86_400_000)).toEqual([]);
    expect(filesIn("videos")).toHaveLength(1);
  });

  it("updates the check's records of its files", async () => {
    video("one.mp4", "1");
    sqliteHandle().exec(`
      CREATE TEMP TRIGGER noted AFTER INSERT ON imports BEGIN
        INSERT INTO media_files (bucket, path, video_id, kind, bytes)
          VALUES ('videos', NEW.target, NULL, 'video', 1);
      END`);
    expect(await importFolder()).toMatchObject({ imported: 1, failures: [] });
    const [row] = rows();
    expect(sqliteHandle().prepare("SELECT video_id, bytes FROM media_files").all()).toEqual([
      { video_id: row?.id, bytes: row?.bytes },
    ]);
    expect(row?.bytes).toBeGreaterThan(1_000);
  });
});

describe("importing an export from the earlier system", () => {
  const base = "https://old.example/storage/v1/object/public";
  const csv = (lines: string[]) => {
    const header =
      "id,title,description,category,tags,duration,video_url,thumbnail_url,status,views,created_at";
    put("videos.csv", [header, ...lines].join("\n"));
    return planExport(path.join(folder, "videos.csv"), folder, {});
  };

  it("keeps IDs, views, times, statuses, URLs and legacy categories", async () => {
    video("videos/u-1/1700000000000.mp4", "1");
    put("thumbnails/u-1/1700000000001.png", PIXEL);
    const plan = await csv(
      [
        `a-1,Old video,Text,amateur,"{""one"",two}",330,${base}/videos/u-1/1700000000000.mp4,${base}/thumbnails/u-1/1700000000001.png,published,1234,2024-01-01 12:00:00+00`,
        "a-2,No file,,solo,,5:30,,,pending,,2024-01-02T12:00:00Z",
        `a-3,Gone,,solo,,5:30,${base}/videos/u-1/9.mp4,,published,1,2024-01-02T12:00:00Z`,
      ].map((line) => line.replace("pending", "hidden")),
    );
    const summary = await importVideos(plan, { userId, mode: "copy" });
    expect(summary.failures).toEqual([
      { name: "Gone", reason: "videos/u-1/9.mp4 isn't in the folder." },
    ]);
    expect(rows()).toMatchObject([
      {
        id: "a-1",
        category: "amateur",
        tags: '["one","two"]',
        duration: "0:02",
        views: 1234,
        video_url: "/media/videos/u-1/1700000000000.mp4",
        thumbnail_url: "/media/thumbnails/u-1/1700000000000.webp",
        status: "published",
        created_at: "2024-01-01T12:00:00.000Z",
      },
      { id: "a-2", category: "solo", duration: "5:30", video_url: "", status: "hidden" },
    ]);
    expect(await importVideos(plan, { userId, mode: "copy" })).toMatchObject({
      imported: 0,
      alreadyImported: 2,
    });
  });

  it("never reads files outside the folder, whatever the URL", async () => {
    put("secret.mp4", CLIP);
    for (const address of [
      "x/videos/../secret.mp4",
      "x/videos/%2e%2e/secret.mp4",
      "x/videos/..%2f..%2fx/secret.mp4",
      "x/other/u/1.mp4",
    ]) {
      const { entries, failures } = await csv([`a,T,,desi,,0:10,${address},,published,0,`]);
      expect(entries, address).toEqual([]);
      expect(failures, address).toHaveLength(1);
    }
  });

  it("also reads JSON, and rejects rows that it can't store", async () => {
    put(
      "videos.json",
      JSON.stringify([
        {
          id: "b1",
          title: "T",
          category: "featured",
          tags: ["x"],
          duration: "0:10",
          views: 3,
          status: "hidden",
          uploadDate: "2024-05-05",
        },
        { id: "b 2", title: "T", category: "desi" },
        { id: "b3", title: "T", category: "cooking" },
      ]),
    );
    const plan = await planExport(path.join(folder, "videos.json"), folder, {});
    expect(plan.entries).toMatchObject([
      {
        id: "b1",
        category: "featured",
        tags: ["x"],
        views: 3,
        createdAt: "2024-05-05T00:00:00.000Z",
      },
    ]);
    expect(plan.failures.map(({ reason }) => reason)).toEqual([
      'the id "b 2" can\'t be part of a URL.',
      'unknown category "cooking".',
    ]);
    const kind = await planExport(path.join(folder, "videos.json"), folder, { category: "desi" });
    expect(kind.entries.map(({ category }) => category)).toEqual(["featured", "desi"]);
  });
});

describe("a title from a file name", () => {
  it.each([
    ["late_night-walk.1080p.mp4", "Late night walk 1080p"],
    ["one-two-three.mkv", "One two three"],
    ["Artist - Song.mp4", "Artist - Song"],
    ["Already fine.mp4", "Already fine"],
    ["ünder.mp4", "Ünder"],
    ["a\u0007b\nc.mp4", "A b c"],
    [`${"x".repeat(230)}.mp4`, `X${"x".repeat(199)}`],
  ])("turns %j into %j, as in the upload form", async (name, title) => {
    put(name, "x");
    const { entries } = await planFolder(folder, { status: "published", category: "desi" });
    expect(entries.map((entry) => entry.title)).toEqual([title]);
    expect(titleFromFileName(name)).toBe(title);
  });

  it(`is "Untitled" if the name contains only separators`, async () => {
    put("___.mp4", "x");
    const { entries } = await planFolder(folder, { status: "published", category: "desi" });
    expect(entries.map((entry) => entry.title)).toEqual(["Untitled"]);
  });
});
