import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { execa } from "execa";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readAlertsPage } from "~/features/operations/alerts/alert-records.server";
import { checkAlerts } from "~/features/operations/alerts/check-alerts.server";
import { readListing } from "~/features/operations/backups/backup-files.server";
import {
  backupOptions,
  requireBackupFolder,
  storedBackups,
} from "~/features/operations/backups/backup-folder.server";
import { createBackup, lockBackups } from "~/features/operations/backups/create-backup.server";
import {
  backupProcess,
  pollBackups,
  startBackup,
} from "~/features/operations/backups/run-backups.server";
import { filesToRead, verifyBackup } from "~/features/operations/backups/verify-backup.server";
import { action, loader } from "~/features/operations/routes/backups";
import { removeVideos } from "~/features/trash/remove.server";
import { recordFile } from "~/media/media-files.server";
import { moveIntoStore } from "~/media/storage/move-into-store.server";
import { listActivities } from "~/platform/activity/activity.server";
import { activityMessage } from "~/platform/activity/activity-labels";
import { forgetSettings, parseSettings } from "~/platform/settings.server";
import { database, sqliteHandle } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  catchResponse,
  expectSuccessOf,
  useAdminSite,
} from "../../admin-requests";
import { command } from "../../command";

const lastBackups = (most: number) =>
  database().selectFrom("backups").selectAll().orderBy("id", "desc").limit(most).execute();

const root = fileURLToPath(new URL("../../..", import.meta.url));
const ORIGIN = "http://localhost";
const HOUR = 3_600_000;
const MINUTE = 60_000;

const site = useAdminSite();
let folder: string;
beforeEach(() => {
  folder = path.join(site.folder, "backups");
  fs.mkdirSync(folder);
  set({ BACKUP_DIR: folder, BACKUP_EVERY: "1d", BACKUP_KEEP: "2" });
});

function set(environment: Record<string, string>): void {
  Object.assign(process.env, environment);
  forgetSettings();
}

/** Adds a video with a file in the bucket. */
function addVideoWithFile(id: string, content: string | Buffer = `The video ${id}`): string {
  const file = path.join(site.uploads, "videos/u", `${id}.mp4`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  addVideo({ id, title: id, video_url: `/media/videos/u/${id}.mp4` });
  return file;
}

const make = () => createBackup(backupOptions()!);
const copyOf = (name: string, file: string) => path.join(folder, name, "uploads", file);
const states = async () => (await lastBackups(10)).map(({ state }) => state);
/** Returns the entries of BACKUP_DIR that aren't complete backups. */
const leftovers = () => fs.readdirSync(folder).filter((name) => name.startsWith("."));

describe("a backup", () => {
  it("contains everything and is verified by restoring it", async () => {
    addVideoWithFile("a");
    const made = await make();
    expect(made).toMatchObject({ files: 1, repaired: 0 });
    expect(fs.readFileSync(copyOf(made.name, "videos/u/a.mp4"), "utf8")).toBe("The video a");
    const manifest = JSON.parse(
      fs.readFileSync(path.join(folder, made.name, "backup.json"), "utf8"),
    );
    expect(manifest).toMatchObject({
      tables: { videos: 1, users: 1 },
      verifiedAt: expect.any(String),
    });
    expect(readListing(path.join(folder, made.name))).toMatchObject([
      {
        path: "videos/u/a.mp4",
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        readAt: expect.any(String),
      },
    ]);
    expect(fs.statSync(path.join(folder, made.name, "site.sqlite")).mode & 0o777).toBe(0o600);
    expect(leftovers()).toEqual([]);
  });

  it("doesn't take extra space for files that an earlier backup contains, even after their video is deleted", async () => {
    addVideoWithFile("a", Buffer.alloc(3_000_000, "a"));
    const first = await make();
    await removeVideos(["a"], "u");
    addVideoWithFile("b");
    const second = await make();
    const inode = (backup: string) => fs.statSync(copyOf(backup, "videos/u/a.mp4")).ino;
    expect(inode(second.name)).toBe(inode(first.name));
    expect(second.bytes).toBeGreaterThan(3_000_000);
    expect(second.addedBytes).toBeLessThan(3_000_000);
  });

  it("removes the oldest backups if there are more than BACKUP_KEEP, but never itself", async () => {
    const names = [(await make()).name, (await make()).name, (await make()).name];
    expect(storedBackups(folder)).toEqual([names[2], names[1]]);
    // Simulates backups that were made while the clock was ahead.
    for (const name of storedBackups(folder)) {
      fs.renameSync(path.join(folder, name), path.join(folder, name.replace(/^2\d/, "29")));
    }
    const { name } = await make();
    expect(storedBackups(folder)).toEqual([name, expect.stringMatching(/^29/)]);
  });

  it("removes backups dated in the future first, and links to files of the newest remaining backup", async () => {
    addVideoWithFile("a");
    const future = (await make()).name.replace(/^2\d/, "29");
    fs.renameSync(path.join(folder, storedBackups(folder)[0]!), path.join(folder, future));
    const first = await make();
    const second = await make();
    expect(storedBackups(folder)).toEqual([second.name, first.name]);
    expect(fs.statSync(copyOf(second.name, "videos/u/a.mp4")).ino).toBe(
      fs.statSync(copyOf(first.name, "videos/u/a.mp4")).ino,
    );
  });

  it("doesn't contain files that are in the store", async () => {
    const store = path.join(site.folder, "store");
    fs.mkdirSync(store);
    process.env.STORAGE_URL = `file://${store}`;
    forgetSettings();
    addVideoWithFile("a");
    addVideoWithFile("b");
    await recordFile({ bucket: "videos", path: "u/a.mp4", videoId: "a", kind: "video" });
    await moveIntoStore();
    const { name, files } = await make();
    expect(files).toBe(1);
    expect(fs.existsSync(copyOf(name, "videos/u/b.mp4"))).toBe(true);
  });

  it("copies a file again if it is damaged in earlier backups", async () => {
    addVideoWithFile("a");
    const { name } = await make();
    const copied = copyOf(name, "videos/u/a.mp4");
    const { mtime } = fs.statSync(copied);
    fs.writeFileSync(copied, "The VIDEO a");
    fs.utimesSync(copied, mtime, mtime);
    const second = await make();
    expect(second.repaired).toBe(1);
    expect(fs.readFileSync(copyOf(second.name, "videos/u/a.mp4"), "utf8")).toBe("The video a");
  });

  it("is removed if its database is damaged, while earlier backups are kept", async () => {
    addVideoWithFile("a");
    const { name } = await make();
    const add = sqliteHandle().prepare("INSERT INTO videos (title, category) VALUES (?, 'desi')");
    for (let count = 0; count < 500; count++) add.run(`Video ${count}`.repeat(20));
    const { rootpage } = sqliteHandle()
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'activities'")
      .get() as { rootpage: number };
    sqliteHandle().pragma("wal_checkpoint(TRUNCATE)");
    // Damages the header of a page that isn't read when rows are counted.
    const file = fs.openSync(path.join(site.folder, "db", "site.sqlite"), "r+");
    fs.writeSync(file, Buffer.from([0, 255, 255]), 0, 3, (rootpage - 1) * 4096 + 1);
    fs.closeSync(file);
    await expect(make()).rejects.toThrow(/damaged|malformed/);
    expect(storedBackups(folder)).toEqual([name]);
    expect(leftovers()).toEqual([]);
  });

  describe("fails verification", () => {
    let backup: string;
    let tables: Record<string, number>;
    beforeEach(async () => {
      addVideoWithFile("a");
      backup = path.join(folder, (await make()).name);
      tables = JSON.parse(fs.readFileSync(path.join(backup, "backup.json"), "utf8")).tables;
    });
    const prove = (more: Record<string, number> = {}) =>
      verifyBackup(backup, path.join(folder, ".proof"), {
        tables: { ...tables, ...more },
        withUploads: true,
        repair: () => false,
      });

    it("when a table has fewer rows than were copied", () => {
      expect(prove().files).toMatchObject([{ path: "videos/u/a.mp4" }]);
      expect(() => prove({ videos: 2 })).toThrow(
        "The table videos in the backup has 1 rows instead of 2",
      );
      expect(leftovers()).toEqual([]);
    });

    it("when its database has damage that row counts don't reveal", () => {
      const sqlite = new Sqlite(path.join(backup, "site.sqlite")).unsafeMode();
      // Creates an index whose values don't match the table.
      sqlite.exec(`CREATE INDEX damaged ON videos (title); PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'title', 'category') WHERE name = 'damaged'`);
      sqlite.close();
      expect(() => prove()).toThrow("The database in the backup is damaged (row 1 missing");
      expect(leftovers()).toEqual([]);
    });
  });

  it("is verified by reading all new files and a thirtieth of the others, starting with the least recently read", () => {
    const file = (path: string, readAt?: string) => ({ path, bytes: 1, modifiedMs: 1, readAt });
    const known = Array.from({ length: 60 }, (_, at) =>
      file(`k${at}`, `2026-01-${10 + (at % 20)}`),
    );
    known[40] = file("oldest", "2025-01-01");
    const read = filesToRead([...known, file("new")]);
    expect(read.map(({ path }) => path)).toEqual(["new", "oldest", "k0"]);
  });

  it("contains only a list of the files if BACKUP_UPLOADS=off", async () => {
    set({ BACKUP_UPLOADS: "off" });
    addVideoWithFile("a");
    const { name, files } = await make();
    expect(files).toBe(0);
    expect(fs.readdirSync(path.join(folder, name)).sort()).toEqual([
      "backup.json",
      "files.json",
      "site.sqlite",
    ]);
    expect(readListing(path.join(folder, name))).toMatchObject([{ path: "videos/u/a.mp4" }]);
  });
});

describe("npm run backup without a folder", () => {
  const script = (wrapper: string[] = []) => {
    const [program = "", ...args] = [...wrapper, process.execPath, ...command("backup")];
    return execa(program, args, { cwd: root, reject: false, env: { ...process.env } });
  };

  it("creates a backup the way the schedule does", async () => {
    addVideoWithFile("a");
    const { exitCode, stdout, stderr } = await script();
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Created and verified the backup");
    expect(await lastBackups(10)).toMatchObject([{ state: "done", due_at: null, user_id: null }]);
    expect(storedBackups(folder)).toHaveLength(1);
  });

  it("removes the unfinished backup when the disk is full, and keeps earlier ones", async () => {
    const { name } = await make();
    addVideoWithFile("a", Buffer.alloc(12 * 1024 * 1024));
    // A file size limit makes writes fail as they do on a full disk, and doesn't require root.
    const limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 8192; exec "$0" "$@"'];
    const { exitCode, stderr } = await script(limited);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Not enough space in BACKUP_DIR \(.+Earlier backups are kept/);
    expect(storedBackups(folder)).toEqual([name]);
    expect(leftovers()).toEqual([]);
    expect(await lastBackups(10)).toMatchObject([
      { state: "failed", reason: expect.stringContaining("Not enough space") },
    ]);
  });

  it("fails while another backup is running", async () => {
    const unlock = lockBackups(process.env.DATABASE_PATH!);
    onTestFinished(unlock);
    const { exitCode, stderr } = await script();
    expect([exitCode, stderr]).toEqual([1, "Another backup is running."]);
    expect(await startBackup({ userId: null, dueAt: null })).toBeUndefined();
    expect(await states()).toEqual([]);
    expect(storedBackups(folder)).toEqual([]);
  });
});

describe("the backup schedule", () => {
  const poll = async (now?: number) => {
    await pollBackups(now);
    await vi.waitFor(async () => expect(await states()).not.toContain("running"), 60_000);
  };

  it("creates the first backup immediately, later backups when they are due, and only one if several were missed", async () => {
    const now = Date.now();
    await poll(now);
    await poll(now + HOUR);
    expect(await lastBackups(10)).toMatchObject([
      { state: "done", due_at: new Date(now).toISOString() },
    ]);
    await poll(now + 75 * HOUR);
    await poll(now + 75 * HOUR);
    expect((await lastBackups(10)).map(({ due_at }) => due_at)).toEqual([
      new Date(now + 72 * HOUR).toISOString(),
      new Date(now).toISOString(),
    ]);
  }, 60_000);

  it("retries a backup whose process was killed, and removes its leftovers", async () => {
    const video = addVideoWithFile("large", "");
    fs.truncateSync(video, 512 * 1024 ** 2);
    const started = await startBackup({ userId: null, dueAt: new Date().toISOString() });
    await vi.waitFor(() => expect(leftovers()).toHaveLength(1), { timeout: 60_000, interval: 5 });
    backupProcess()?.kill("SIGKILL");
    await started!.ended;
    expect(await states()).toEqual(["interrupted"]);
    expect(leftovers()).toHaveLength(1);
    expect(storedBackups(folder)).toEqual([]);

    fs.truncateSync(video, 5);
    await poll();
    expect(await states()).toEqual(["interrupted"]);
    await poll(Date.now() + 2 * MINUTE);
    expect(await states()).toEqual(["done", "interrupted"]);
    expect(leftovers()).toEqual([]);
    expect(storedBackups(folder)).toHaveLength(1);
  }, 150_000);

  it("records that a backup's process was killed together with the server", async () => {
    sqliteHandle().exec("INSERT INTO backups (due_at) VALUES ('2026-01-01T00:00:00.000Z')");
    await poll();
    expect(await states()).toEqual(["interrupted"]);
    await poll(Date.now() + 2 * MINUTE);
    expect(await states()).toEqual(["done", "interrupted"]);
  }, 60_000);

  it("raises an alert after three attempts if the process is killed each time", async () => {
    const killed = () =>
      sqliteHandle()
        .prepare("INSERT INTO backups (due_at) VALUES (?)")
        .run(new Date().toISOString());
    killed();
    await poll();
    killed();
    // The second attempt is killed before the retry delay of the first attempt is over.
    await poll();
    await poll(Date.now() + 2 * MINUTE);
    expect(await states()).toEqual(["interrupted", "interrupted"]);
    killed();
    await poll();
    expect(await states()).toEqual(["failed", "interrupted", "interrupted"]);
    await poll(Date.now() + HOUR);
    expect(await states()).toHaveLength(3);
    await checkAlerts();
    expect((await readAlertsPage()).last).toMatchObject([
      { kind: "backup-failed", message: expect.stringContaining("was killed 3 times") },
    ]);
  }, 60_000);

  it("records why a backup failed, and waits for the next scheduled one", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    fs.rmdirSync(folder);
    await poll();
    await poll();
    expect(await lastBackups(10)).toMatchObject([
      { state: "failed", reason: expect.stringMatching(/^BACKUP_DIR \(.+can't be used/) },
    ]);
    expect(log).toHaveBeenCalledOnce();
  }, 60_000);
});

describe("backup settings", () => {
  it.each([
    ["missing", "which doesn't exist"],
    ["uploads", "must be separate"],
    ["uploads/videos", "must be separate"],
    ["link", "must be separate"],
    [".", "must be separate"],
    ["/proc", "can't write to"],
  ])("reject BACKUP_DIR if it is %s", (name, reason) => {
    fs.symlinkSync(path.join(site.uploads, "videos"), path.join(site.folder, "link"));
    set({ BACKUP_DIR: path.resolve(site.folder, name) });
    expect(requireBackupFolder).toThrow(reason);
  });

  it("accept any other BACKUP_DIR, and don't leave a test file behind", () => {
    requireBackupFolder();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it.each(["90", "5m", "1y", "-1d", "0h", "60w"])("reject BACKUP_EVERY=%s", (value) => {
    expect(() => parseSettings({ BACKUP_EVERY: value })).toThrow(
      /^BACKUP_EVERY must be a duration/,
    );
  });

  it.each([
    ["15m", 0.25],
    ["12h", 12],
    ["1w", 168],
  ])("accept BACKUP_EVERY=%s", (value, hours) => {
    expect(parseSettings({ BACKUP_EVERY: value }).backupEveryMs).toBe(hours * HOUR);
  });
});

describe("the backups page", () => {
  const send = (intent: string) => {
    const request = new Request(`${ORIGIN}/admin/backups`, {
      method: "POST",
      body: new URLSearchParams({ intent }),
      headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost" },
    });
    return action({ request, params: {}, context: {} });
  };
  const page = async () => {
    const request = new Request(`${ORIGIN}/admin/backups`, { headers: { Cookie: adminCookie() } });
    return (await loader({ request, params: {}, context: {} })).page;
  };

  it("creates a backup and shows its result", async () => {
    addVideoWithFile("a");
    expect((await page()).lastVerified).toBeNull();
    const { location, toast } = await expectSuccessOf(() => send("back-up"));
    expect([location, toast.description]).toEqual([
      "/admin/backups",
      "Backup started. You can leave this page.",
    ]);
    expect((await page()).runningSince).toEqual(expect.any(String));
    const again = (await send("back-up")) as unknown as { init: { status: number } };
    expect(again.init.status).toBe(409);
    await vi.waitFor(async () => expect((await page()).runningSince).toBeNull(), 60_000);
    expect(await page()).toMatchObject({
      schedule: { folder, everyMs: 24 * HOUR, keep: 2, stored: 1 },
      lastVerified: { state: "done", files: 1, by: "a@b.c", isScheduled: false },
      last: [{ state: "done" }],
    });
    const [{ action: name, detail, email } = { action: "", detail: "", email: "" }] =
      await listActivities();
    expect(email).toBe("a@b.c");
    expect(activityMessage(name, detail).before).toBe("backed up the site: ");
    expect(detail).toMatch(/^1 file, [\d.]+[KM]B$/);
  }, 60_000);

  it("doesn't show a schedule if BACKUP_DIR isn't set", async () => {
    set({ BACKUP_DIR: "" });
    expect((await page()).schedule).toBeUndefined();
    const response = (await send("back-up")) as unknown as { init: { status: number } };
    expect(response.init.status).toBe(409);
    expect((await catchResponse(() => send("nothing"))).status).toBe(400);
  });
});
