import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { listUploads, secretFile } from "~/features/operations/backups/backup-files.server";
import { createBackup } from "~/features/operations/backups/create-backup.server";
import {
  finishInterruptedRestore,
  restoreBackup,
} from "~/features/operations/backups/restore-backup.server";
import { settings } from "~/platform/settings.server";
import { closeDatabase, database, sqliteHandle } from "~db/client.server";
import { command } from "../../command";
import { SiteProcess } from "../../site-process";
import { useTemporarySite } from "../../temporary-site";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const preload = fileURLToPath(new URL("../../servers/signal-at-change.mjs", import.meta.url));

let site: ReturnType<typeof useTemporarySite>;
let data: string;
let backup: string;
beforeEach(() => {
  site = useTemporarySite();
  data = path.join(site.folder, "db");
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
});
afterEach(() => site.remove());

const run = (
  parameters: string[],
  environment: Record<string, string> = {},
  wrapper: string[] = [],
) => {
  const [program = "", ...rest] = [...wrapper, process.execPath, ...parameters];
  return execa(program, rest, {
    cwd: root,
    reject: false,
    env: { ...process.env, ...environment },
  });
};
/** @param wrapper a command to which the restore command is appended as arguments, such as `setpriv`. */
const restore = (environment: Record<string, string> = {}, wrapper: string[] = []) =>
  run(
    [...("SIGNAL" in environment ? ["--import", preload] : []), ...command("restore", backup)],
    environment,
    wrapper,
  );
/** Runs the restore and kills it immediately before its `killAt`-th file change. */
const restoreUntil = (killAt: number, files = site.folder) =>
  restore({ SIGNAL: "SIGKILL", SIGNAL_IN: files, SIGNAL_AT: String(killAt) });
const siteFiles = () => ({ ...settings(), secretFile: secretFile() });

function put(name: string, content: string): void {
  const file = path.join(site.uploads, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

function addVideo(title: string, content = title): void {
  put(`videos/u/${title}.mp4`, content);
  sqliteHandle()
    .prepare("INSERT INTO videos (title, category, video_url) VALUES (?, 'desi', ?)")
    .run(title, `/media/videos/u/${title}.mp4`);
}

/** Returns the site's titles and files, and its secret. */
function readSite() {
  const titles = sqliteHandle().prepare("SELECT title FROM videos ORDER BY title").pluck().all();
  closeDatabase();
  const files = Object.fromEntries(
    listUploads(site.uploads).map((file) => [
      file.path,
      fs.readFileSync(path.join(site.uploads, file.path), "utf8"),
    ]),
  );
  return { titles, files, secret: fs.readFileSync(secretFile(), "utf8") };
}

type Site = ReturnType<typeof readSite>;

/** Creates a backup, then changes the site: adds a video, deletes a video, and replaces a video's file. */
async function changeAfterBackup(): Promise<{ before: Site; after: Site }> {
  addVideo("Deleted");
  addVideo("Kept");
  addVideo("Replaced", "The file in the backup");
  fs.writeFileSync(secretFile(), "the-secret-that-is-in-the-backup-alone\n");
  const folder = path.join(site.folder, "backups");
  fs.mkdirSync(folder);
  const made = await createBackup({
    ...{ ...siteFiles(), folder },
    ...{ keep: 1, withUploads: true, hasLocks: true },
  });
  backup = path.join(folder, made.name);
  sqliteHandle().exec("DELETE FROM videos WHERE title = 'Deleted'");
  fs.rmSync(path.join(site.uploads, "videos/u/Deleted.mp4"));
  addVideo("New");
  put("videos/u/Replaced.mp4", "A newer file");
  fs.writeFileSync(secretFile(), "the-secret-that-the-site-has-had-since\n");
  const before = readSite();
  const after = {
    titles: ["Deleted", "Kept", "Replaced"],
    secret: "the-secret-that-is-in-the-backup-alone\n",
    files: {
      ...before.files,
      "videos/u/Deleted.mp4": "Deleted",
      "videos/u/Replaced.mp4": "The file in the backup",
    },
  };
  return { before, after };
}

/** Copies the database and the uploads from one folder to another, replacing those that exist there. */
function copySite(from: string, to: string): void {
  for (const name of ["db", "uploads"]) {
    fs.rmSync(path.join(to, name), { recursive: true, force: true });
    const options = { recursive: true, preserveTimestamps: true };
    fs.cpSync(path.join(from, name), path.join(to, name), options);
  }
}

/** Returns the folders of the copies that a restore creates in the uploads folder before it changes anything. */
const copies = () =>
  fs.readdirSync(site.uploads).flatMap((name) => {
    const folder = path.join(site.uploads, name, ".restore");
    return fs.existsSync(folder) ? [folder] : [];
  });

describe("a restore that is killed", () => {
  it("leaves either the complete site or the complete backup at each step, and finishes when it is run again", async () => {
    const { before, after } = await changeAfterBackup();
    const litestream = path.join(data, ".site.sqlite-litestream");
    fs.mkdirSync(litestream);
    // The site was killed too, so its last changes are in the write-ahead log.
    sqliteHandle().exec("UPDATE videos SET title = 'Newest' WHERE title = 'New'");
    before.titles[1] = "Newest";
    const first = path.join(site.folder, "first");
    copySite(site.folder, first);
    closeDatabase();
    expect(fs.statSync(path.join(first, "db/site.sqlite-wal")).size).toBeGreaterThan(0);

    const killed = path.join(site.folder, "killed");
    const outcomes: string[] = [];
    for (let killAt = 1; ; killAt++) {
      copySite(first, site.folder);
      const { signal, exitCode } = await restoreUntil(killAt);
      if (exitCode === 0) break;
      expect(signal).toBe("SIGKILL");
      copySite(site.folder, killed);
      // The site's next start does the same.
      finishInterruptedRestore(siteFiles());
      const started = readSite();
      const isRestored = started.titles.includes("Deleted");
      expect([killAt, started]).toEqual([killAt, isRestored ? after : before]);
      expect(fs.existsSync(litestream)).toBe(!isRestored);
      outcomes.push(isRestored ? "backup" : "site");

      copySite(killed, site.folder);
      restoreBackup(backup, siteFiles());
      expect([killAt, readSite()]).toEqual([killAt, after]);
      expect(copies()).toEqual([]);
    }
    expect(readSite()).toEqual(after);
    expect(outcomes).toEqual([...outcomes].sort().reverse());
    expect(new Set(outcomes)).toEqual(new Set(["site", "backup"]));

    // On file systems without hard links, there is a step after which no file has the database's name.
    copySite(killed, site.folder);
    fs.rmSync(settings().databasePath);
    expect(() => database()).toThrow("A restore was interrupted");
    finishInterruptedRestore(siteFiles());
    expect(readSite()).toEqual(after);
  }, 180_000);

  it("is finished by the site's next start, and other commands fail until then", async () => {
    const { after } = await changeAfterBackup();
    // The first change creates the copy, and the second one moves it into place.
    const { signal } = await restoreUntil(2, "/\\.restore/u/Deleted\\.mp4$");
    expect(signal).toBe("SIGKILL");
    expect(fs.existsSync(path.join(site.uploads, "videos/u/Deleted.mp4"))).toBe(false);
    const { exitCode, stderr } = await run(command("backup", path.join(site.folder, "other")));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("A restore was interrupted")]);

    const started = new SiteProcess({
      DATABASE_PATH: settings().databasePath,
      UPLOADS_DIR: site.uploads,
    });
    try {
      await started.start();
      const page = await (await fetch(`${started.url}/`)).text();
      expect(page).toContain("Deleted");
      expect(started.log).toContain("An interrupted restore has been completed.");
    } finally {
      await started.remove();
    }
    expect(readSite()).toEqual(after);
  }, 180_000);

  it("doesn't use copies from another backup, or partial files, when it is run again", async () => {
    const { after } = await changeAfterBackup();
    const left = (name: string) => path.join(site.uploads, "videos/.restore/u", name);
    fs.mkdirSync(left(""), { recursive: true });
    const replaced = path.join(backup, "uploads/videos/u/Replaced.mp4");
    const { mtime, size } = fs.statSync(replaced);
    fs.writeFileSync(left("Replaced.mp4"), Buffer.alloc(size));
    fs.utimesSync(left("Replaced.mp4"), mtime, mtime);
    fs.writeFileSync(left("Kept.mp4"), "of another backup");
    fs.writeFileSync(`${secretFile()}.restored`, "of another backup");
    expect(await restore()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readSite()).toEqual(after);
  });
});

describe("a restore that fails", () => {
  it("changes nothing if the disk is full, and frees the space that it has used", async () => {
    const { before } = await changeAfterBackup();
    fs.writeFileSync(path.join(backup, "uploads/videos/u/Large.mp4"), Buffer.alloc(12 * 1024 ** 2));
    // A file size limit makes writes fail as they do on a full disk, without requiring root.
    const limited = 'trap "" XFSZ; ulimit -f 8192; exec "$0" "$@"';
    const { exitCode, stderr } = await restore({}, ["sh", "-c", limited]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("There is not enough space")]);
    expect(copies()).toEqual([]);
    expect(readSite()).toEqual(before);
  });

  it("changes nothing if a file in the backup can't be read, and succeeds when the file is readable again", async () => {
    const { before, after } = await changeAfterBackup();
    const unreadable = path.join(backup, "uploads/videos/u/Replaced.mp4");
    fs.chmodSync(unreadable, 0);
    // Permissions don't stop root unless these capabilities are dropped.
    const unprivileged =
      process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
    const { exitCode, stderr } = await restore({}, unprivileged);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^The backup can't be restored: EACCES/),
    ]);
    expect(copies()).toHaveLength(1);
    expect(readSite()).toEqual(before);

    fs.chmodSync(unreadable, 0o600);
    expect(await restore()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readSite()).toEqual(after);
  });

  it("changes nothing if a folder has the name of a file in the backup", async () => {
    const { before } = await changeAfterBackup();
    const folder = path.join(site.uploads, "videos/u/Deleted.mp4");
    fs.mkdirSync(folder);
    const { exitCode, stderr } = await restore();
    expect([exitCode, stderr]).toEqual([
      1,
      `${folder} is a folder, but the backup has a file with this name. Move or rename the folder.`,
    ]);
    fs.rmdirSync(folder);
    expect(readSite()).toEqual(before);
  });
});
