import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { closeDatabase, sqliteHandle } from "~db/client.server";
import { command } from "../../command";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

const root = fileURLToPath(new URL("../../..", import.meta.url));

let site: ReturnType<typeof useTemporarySite>;
let target: string;
beforeEach(() => {
  site = useTemporarySite();
  target = path.join(site.folder, "backup");
});
afterEach(() => site.remove());

const script = (name: string, ...args: string[]) =>
  execa(process.execPath, command(name, ...args), {
    cwd: root,
    reject: false,
    env: { ...process.env },
  });

const addVideo = (title: string, uploadId: number) => {
  const file = path.join(site.uploads, "videos/u", `${uploadId}.mp4`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, title);
  sqliteHandle()
    .prepare("INSERT INTO videos (title, category, video_url) VALUES (?, 'desi', ?)")
    .run(title, `/media/videos/u/${uploadId}.mp4`);
  return file;
};
const titles = () =>
  sqliteHandle().prepare("SELECT title FROM videos ORDER BY title").pluck().all();

describe("a backup", () => {
  it("can be created while the site is running, and restores everything", async () => {
    insertUser();
    fs.writeFileSync(path.join(site.folder, "db", "session-secret"), "kept\n");
    const first = addVideo("First", 1);
    const made = await script("backup", target, "--with-uploads");
    expect([made.exitCode, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toContain("the database and 1 file (1 copied now)");
    expect(fs.statSync(path.join(target, "site.sqlite")).mode & 0o777).toBe(0o600);

    // The next backup contains the later changes, and copies only the new files.
    const second = addVideo("Second", 2);
    expect((await script("backup", target, "--with-uploads")).stdout).toContain(
      "2 files (1 copied now)",
    );
    sqliteHandle().exec("DELETE FROM videos; DELETE FROM users");
    fs.rmSync(first);
    fs.rmSync(second);
    fs.writeFileSync(path.join(site.folder, "db", "session-secret"), "other\n");

    const running = await script("restore", target);
    expect([running.exitCode, running.stderr]).toEqual([
      1,
      "The site or Litestream is running. Stop both, then try again.",
    ]);
    expect(titles()).toEqual([]);

    closeDatabase();
    const restored = await script("restore", target);
    expect([restored.exitCode, restored.stderr]).toEqual([0, ""]);
    expect(titles()).toEqual(["First", "Second"]);
    expect(fs.readFileSync(first, "utf8")).toBe("First");
    expect(fs.readFileSync(path.join(site.folder, "db", "session-secret"), "utf8")).toBe("kept\n");
    const kept = fs
      .readdirSync(path.join(site.folder, "db"))
      .filter((name) => name.includes("before-restore"));
    expect(kept).toHaveLength(1);
  });

  it("includes the files of deleted and replaced videos, so that both can be restored", async () => {
    const earlier = addVideo("Earlier", 1);
    addVideo("Today", 2);
    const deleted = addVideo("Deleted", 3);
    const sqlite = sqliteHandle();
    sqlite.exec(`
      DELETE FROM videos WHERE title = 'Earlier';
      INSERT INTO video_files (id, video_id, state, video_url, replaced_at)
        SELECT 'f', id, 'earlier', '/media/videos/u/1.mp4', '2030-01-01' FROM videos WHERE title = 'Today'`);
    const id = sqlite
      .prepare("SELECT id FROM videos WHERE title = 'Deleted'")
      .pluck()
      .get() as string;
    await removeVideos([id], insertUser().id);
    await script("backup", target, "--with-uploads");
    closeDatabase();
    fs.rmSync(site.uploads, { recursive: true });
    const restored = await script("restore", target);
    expect([restored.exitCode, restored.stderr]).toEqual([0, ""]);
    expect(fs.readFileSync(earlier, "utf8")).toBe("Earlier");
    expect("status" in (await restoreVideos([id], "u"))).toBe(false);
    expect(fs.readFileSync(deleted, "utf8")).toBe("Deleted");
    expect(titles()).toEqual(["Deleted", "Today"]);
  });

  it("can be restored over a damaged database, and the damaged file is kept", async () => {
    addVideo("First", 1);
    await script("backup", target);
    closeDatabase();
    const file = path.join(site.folder, "db", "site.sqlite");
    fs.writeFileSync(file, "no database any more".repeat(500));
    const restored = await script("restore", target);
    expect([restored.exitCode, restored.stderr]).toEqual([0, ""]);
    expect(titles()).toEqual(["First"]);
    const [kept] = fs
      .readdirSync(path.join(site.folder, "db"))
      .filter((name) => name.includes("before-restore"));
    expect(fs.readFileSync(path.join(site.folder, "db", kept!), "utf8")).toContain("no database");
  });

  it("lists the site's files, so a restore can report files that are missing", async () => {
    const file = addVideo("First", 1);
    await script("backup", target);
    expect(JSON.parse(fs.readFileSync(path.join(target, "files.json"), "utf8"))).toMatchObject([
      { path: "videos/u/1.mp4", bytes: 5 },
    ]);
    fs.rmSync(file);
    closeDatabase();
    const { exitCode, stderr } = await script("restore", target);
    expect([exitCode, stderr]).toEqual([1, "missing: videos/u/1.mp4"]);
  });

  it("isn't restored if its file is damaged or its folder doesn't contain a backup", async () => {
    sqliteHandle();
    expect((await script("restore", site.folder)).stderr).toContain("contains no site.sqlite");
    fs.mkdirSync(target);
    fs.writeFileSync(path.join(target, "site.sqlite"), "this is no database, however long it is");
    closeDatabase();
    const { exitCode, stderr } = await script("restore", target);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is damaged")]);
    expect(titles()).toEqual([]);
  });
});
