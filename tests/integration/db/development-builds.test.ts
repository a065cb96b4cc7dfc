import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqliteHandle } from "~db/client.server";
import { restoredFile } from "~db/database-file.server";
import { migrations } from "~db/migrations/index";
import { openReplica } from "~db/reader-database.server";
import { command } from "../../command";
import { useTemporarySite } from "../../temporary-site";

const root = fileURLToPath(new URL("../../..", import.meta.url));

let site: ReturnType<typeof useTemporarySite>;
let file: string;
beforeEach(() => {
  site = useTemporarySite();
  file = path.join(site.folder, "db", "site.sqlite");
});
afterEach(() => site.remove());

const messageFor = (database: string) =>
  `This database was created by a development build from before version 0.2.0, and this version can't open it: ${database}. Nothing was changed. To keep your videos, see docs/how-to/upgrade-from-development-builds.md. To start with an empty site, move the file away.`;

/** The table in which builds from before 0.2.0 recorded their migrations. */
const OLD_TABLE = `
  CREATE TABLE migrations (name TEXT PRIMARY KEY NOT NULL, ran_at TEXT NOT NULL DEFAULT '');
  INSERT INTO migrations (name) VALUES ('0200-baseline'), ('0201-schedule');
  CREATE TABLE videos (id TEXT)`;

/** Changes that make this version's database look like one from a development build. */
const CHANGES = {
  "a recorded name below the baseline":
    "INSERT INTO migrations (name, digest) VALUES ('0255-site-marker', 'x')",
  "another digest of the baseline": `UPDATE migrations SET digest = '${"0".repeat(64)}'`,
  "a table without digests": `DROP TABLE migrations; DROP TABLE videos; ${OLD_TABLE}`,
};

function change(database: string, sql: string): void {
  const sqlite = new Sqlite(database);
  sqlite.exec(sql);
  sqlite.close();
}

/**
 * Returns the files in a folder with their times and contents, except for a write-ahead log's index, which SQLite may
 * rebuild.
 */
function filesIn(folder: string): unknown[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const stat = fs.statSync(path.join(folder, name));
      if (stat.isDirectory() || name.endsWith("-shm")) return name;
      const content = fs.readFileSync(path.join(folder, name));
      const digest = createHash("sha256").update(content).digest("hex");
      return [name, stat.mtimeMs, stat.size, digest];
    });
}

/** Runs one of the site's commands until it exits. */
async function run(...args: string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, args, {
    cwd: root,
    reject: false,
    extendEnv: false,
    env: {
      ...{ PATH: process.env.PATH, NODE_ENV: "production", HOST: "127.0.0.1", PORT: "0" },
      ...{ DATABASE_PATH: file, UPLOADS_DIR: site.uploads },
    },
  });
  return { exitCode, stdout, stderr };
}
const rejected = (database: string) => ({
  exitCode: 1,
  stdout: "",
  stderr: messageFor(database),
});

describe("a database from a development build", () => {
  it.each(Object.entries(CHANGES))("is rejected because of %s, and isn't changed", (_, sql) => {
    change(file, sql);
    const before = filesIn(site.folder);
    expect(() => sqliteHandle()).toThrow(messageFor(file));
    expect(filesIn(site.folder)).toEqual(before);
  });

  it("is rejected even if its migrations are only in the write-ahead log, and isn't changed", () => {
    const running = path.join(site.folder, "running.sqlite");
    const sqlite = new Sqlite(running);
    sqlite.pragma("journal_mode = WAL");
    sqlite.exec(OLD_TABLE);
    // The state after a power failure.
    fs.copyFileSync(running, file);
    fs.copyFileSync(`${running}-wal`, `${file}-wal`);
    sqlite.close();
    const before = filesIn(path.dirname(file));
    expect(() => sqliteHandle()).toThrow(messageFor(file));
    expect(filesIn(path.dirname(file)).filter((each) => each !== "site.sqlite-shm")).toEqual(
      before,
    );
  });

  it("is rejected even if it is behind a symbolic link", () => {
    const elsewhere = path.join(site.folder, "elsewhere.sqlite");
    fs.renameSync(file, elsewhere);
    fs.symlinkSync(elsewhere, file);
    change(elsewhere, CHANGES["a table without digests"]);
    const before = filesIn(site.folder);
    expect(() => sqliteHandle()).toThrow(messageFor(file));
    expect(filesIn(site.folder)).toEqual(before);
  });

  it("is rejected if an interrupted restore would move it into place", () => {
    const restored = restoredFile(file);
    fs.copyFileSync(file, restored);
    change(restored, CHANGES["a table without digests"]);
    const before = filesIn(site.folder);
    expect(() => sqliteHandle()).toThrow(messageFor(restored));
    expect(filesIn(site.folder)).toEqual(before);
  });

  it("gets a different error from a file that isn't a database", () => {
    fs.writeFileSync(file, "This is no database. ".repeat(300));
    expect(() => sqliteHandle()).toThrow(/is not a SQLite database/);
  });

  it("isn't confused with an empty file, which becomes a new database", () => {
    fs.writeFileSync(file, "");
    const names = sqliteHandle().prepare("SELECT name FROM migrations").pluck().all();
    expect(names).toEqual(migrations.map(({ name }) => name));
  });

  it("is rejected by a read replica", () => {
    const copy = path.join(site.folder, "copy.sqlite");
    fs.copyFileSync(file, copy);
    change(copy, CHANGES["another digest of the baseline"]);
    const before = filesIn(site.folder);
    expect(() => openReplica(copy)).toThrow(messageFor(copy));
    expect(filesIn(site.folder)).toEqual(before);
  });

  it.each([
    ["npm start", ["scripts/start.mjs"]],
    ["jobs", command("jobs")],
    ["import", command("import", "clips", "--category", "desi")],
    ["backup", command("backup", "backup")],
    ["move-storage", command("move-storage", "--to", "disk")],
  ])("is rejected by %s before anything is written", async (_, args) => {
    change(file, CHANGES["a recorded name below the baseline"]);
    const before = filesIn(site.folder);
    expect(await run(...args)).toEqual(rejected(file));
    expect(filesIn(site.folder)).toEqual(before);
  });
});

describe("a restore", () => {
  let backup: string;
  beforeEach(() => {
    backup = path.join(site.folder, "backup");
    fs.mkdirSync(path.join(backup, "uploads", "videos"), { recursive: true });
    fs.writeFileSync(path.join(backup, "uploads", "videos", "a.mp4"), "a");
    fs.writeFileSync(path.join(backup, "files.json"), "[]");
    fs.copyFileSync(file, path.join(backup, "site.sqlite"));
  });

  it("rejects a backup from a development build, and changes nothing", async () => {
    const database = path.join(backup, "site.sqlite");
    change(database, CHANGES["a table without digests"]);
    const before = filesIn(site.folder);
    expect(await run(...command("restore", backup))).toEqual(rejected(database));
    expect(filesIn(site.folder)).toEqual(before);
  });

  it("doesn't replace a database from a development build", async () => {
    change(file, CHANGES["a table without digests"]);
    const before = filesIn(site.folder);
    expect(await run(...command("restore", backup))).toEqual(rejected(file));
    expect(filesIn(site.folder)).toEqual(before);
  });
});
