import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { ADMIN, SiteProcess } from "../../site-process";

const START = fileURLToPath(new URL("../../../scripts/start.mjs", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "start-test-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The maximum time that a failing start takes, even on a busy machine. */
const ENDS_WITHIN_MS = 20_000;

/** Runs the start script until it exits, and returns its output. `uid` is the user who runs the script. */
async function startFails(environment: Record<string, string>, uid?: number) {
  const env = {
    NODE_ENV: "production" as const,
    PATH: process.env.PATH ?? "",
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_PATH: path.join(folder, "site.sqlite"),
    UPLOADS_DIR: path.join(folder, "uploads"),
    ...environment,
  };
  const options = { env, uid, timeout: ENDS_WITHIN_MS };
  const failure = await promisify(execFile)(process.execPath, [START], options).then(
    () => undefined,
    (error: { code: number; stderr: string }) => error,
  );
  if (!failure) throw new Error("The start did not fail.");
  return { code: failure.code, output: failure.stderr.trim() };
}

/** The ID of Debian's user `nobody`. */
const NOBODY = 65_534;

function overwriteMiddle(file: string, bytes: number): void {
  const handle = fs.openSync(file, "r+");
  fs.writeSync(handle, Buffer.alloc(bytes / 4, 0x5a), 0, bytes / 4, Math.floor(bytes / 2));
  fs.closeSync(handle);
}

describe("npm start", () => {
  it("fails with a one-line error for an invalid setting", async () => {
    expect(await startFails({ MAX_VIDEO_BYTES: "2GB" })).toEqual({
      code: 1,
      output: "MAX_VIDEO_BYTES must be a whole number of bytes, at least 1.",
    });
  });

  it("fails with a one-line error if the database is from a newer version", async () => {
    const sqlite = openSqlite(path.join(folder, "site.sqlite"));
    sqlite.exec("CREATE TABLE migrations (name TEXT PRIMARY KEY NOT NULL, ran_at TEXT)");
    sqlite.exec("INSERT INTO migrations VALUES ('9999-from-the-future', '2099-01-01')");
    sqlite.close();
    const { code, output } = await startFails({});
    expect(code).toBe(1);
    expect(output).toMatch(/^The database .+ was created by a newer version .+ a backup\.$/);
  });

  it("fails with a one-line error if the port is in use", async () => {
    const other = net.createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as net.AddressInfo;
    const { code, output } = await startFails({ PORT: String(port) });
    other.close();
    expect({ code, output }).toEqual({
      code: 1,
      output: `Port ${port} is already in use. Set PORT to another port.`,
    });
  });

  it.each([
    ["192.0.2.1", "an address of another machine"],
    ["no-such-host.invalid", "an unknown name"],
  ])("fails with a one-line error if HOST is %s, %s", async (HOST) => {
    expect(await startFails({ HOST })).toEqual({
      code: 1,
      output: `HOST is not an address of this machine (${HOST}). Set it to one of its addresses, such as 127.0.0.1, or leave it unset for all.`,
    });
  });

  it("fails with a one-line error if DATABASE_PATH is a folder", async () => {
    expect(await startFails({ DATABASE_PATH: folder })).toEqual({
      code: 1,
      output: `DATABASE_PATH is a folder (${folder}). Set it to a file in that folder, such as ${folder}/site.sqlite.`,
    });
  });

  it("fails with a one-line error if DATABASE_PATH isn't a database", async () => {
    const file = path.join(folder, "site.sqlite");
    fs.writeFileSync(file, "A letter, not a database. ".repeat(1_000));
    expect(await startFails({})).toEqual({
      code: 1,
      output: `DATABASE_PATH is not a SQLite database (${file}). Set it to another path, or move the file away to start with an empty site.`,
    });
    expect(fs.readFileSync(file, "utf8")).toContain("A letter");
  });

  it.each([
    ["truncated", (file: string, bytes: number) => fs.truncateSync(file, bytes / 2)],
    ["overwritten in the middle", overwriteMiddle],
  ])("fails with a one-line error if the database is %s", async (_, damage) => {
    const file = path.join(folder, "site.sqlite");
    const sqlite = openSqlite(file);
    migrate(sqlite);
    const insert = sqlite.prepare("INSERT INTO videos (title, category) VALUES (?, 'desi')");
    sqlite.transaction(() => {
      for (let i = 0; i < 500; i += 1) insert.run(`Video ${i}`);
    })();
    sqlite.close();
    damage(file, fs.statSync(file).size);
    expect(await startFails({})).toEqual({
      code: 1,
      output: `DATABASE_PATH is damaged (${file}). Restore a backup with npm run restore, or move the file away to start with an empty site.`,
    });
  });

  it("fails with a one-line error if UPLOADS_DIR is a file", async () => {
    const file = path.join(folder, "uploads");
    fs.writeFileSync(file, "");
    expect(await startFails({})).toEqual({
      code: 1,
      output: `UPLOADS_DIR needs the folder ${file}/videos, but ${file} is not a folder. Move that file away, or set UPLOADS_DIR to another path.`,
    });
  });

  it.each([
    ["UPLOADS_DIR", "/proc/x", "/proc/x/videos"],
    ["DATABASE_PATH", "/proc/x/site.sqlite", "/proc/x"],
  ])("fails with a one-line error instead of hanging if %s is %s", async (name, value, needed) => {
    expect(await startFails({ [name]: value })).toEqual({
      code: 1,
      output: `${name} needs the folder ${needed}, which this user can't create or write to (no such file or directory). Change its owner, or set ${name} to another path.`,
    });
  });

  it.each(["UPLOADS_DIR", "DATABASE_PATH"])(
    "fails with a one-line error if the user can't write to %s",
    async (name) => {
      const others = path.join(folder, "others");
      fs.mkdirSync(path.join(others, "videos"), { recursive: true });
      fs.mkdirSync(path.join(folder, "own"));
      fs.chmodSync(path.join(folder, "own"), 0o777);
      for (const closed of [path.join(others, "videos"), others]) fs.chmodSync(closed, 0o555);
      fs.chmodSync(folder, 0o755);
      const uid = process.getuid?.() === 0 ? NOBODY : undefined;
      const { code, output } = await startFails(
        {
          DATABASE_PATH: path.join(folder, "own", "site.sqlite"),
          UPLOADS_DIR: path.join(folder, "own", "uploads"),
          [name]: name === "UPLOADS_DIR" ? others : path.join(others, "site.sqlite"),
        },
        uid,
      );
      for (const open of [others, path.join(others, "videos")]) fs.chmodSync(open, 0o755);
      const needed = name === "UPLOADS_DIR" ? path.join(others, "videos") : others;
      expect({ code, output }).toEqual({
        code: 1,
        output: `${name} needs the folder ${needed}, which this user can't create or write to (permission denied). Change its owner, or set ${name} to another path.`,
      });
    },
  );

  it("fails with a one-line error for a short SESSION_SECRET, without printing it", async () => {
    const { code, output } = await startFails({ SESSION_SECRET: "hunter2" });
    expect(code).toBe(1);
    expect(output).toMatch(/^SESSION_SECRET must be .*at least 32 characters.*openssl.*\.$/);
    expect(output).not.toContain("hunter2");
  });

  it("prints the first account's password only on the first start", async () => {
    const site = new SiteProcess({ ADMIN_EMAIL: "", ADMIN_PASSWORD: "" });
    try {
      await site.start();
      const password = site.log.match(/password is (\S+)/)?.[1];
      expect(password).toBeDefined();
      expect(await site.stop()).toBe(0);
      site.log = "";
      await site.start();
      expect(site.log).not.toContain(password);
    } finally {
      await site.remove();
    }
  });

  it("removes files that a killed import left in the buckets", async () => {
    const site = new SiteProcess();
    try {
      await site.start();
      await site.stop("SIGKILL");
      const source = path.join(folder, "video.mp4");
      fs.writeFileSync(source, "a video");
      const left = site.addFile("videos", "u/1763709999005.mp4", Buffer.from("a fi"));
      const { size, mtimeMs } = fs.statSync(source);
      site
        .database()
        .prepare(
          `INSERT INTO imports (source, bytes, modified_ms, video_id, target, process)
           VALUES (?, ?, ?, 'x', 'u/1763709999005.mp4', ?)`,
        )
        .run(source, size, mtimeMs, 2 ** 30);
      const file = path.join(site.uploads, left.replace("/media/", ""));
      expect(fs.existsSync(file)).toBe(true);
      await site.start();
      expect([fs.existsSync(file), fs.existsSync(source)]).toEqual([false, true]);
      expect(site.database().prepare("SELECT * FROM imports").all()).toEqual([]);
    } finally {
      await site.remove();
    }
  });

  it("doesn't write a core dump with visitors' data, even if the user's limits allow core dumps", async () => {
    const site = new SiteProcess({}, [
      "sh",
      "-c",
      'ulimit -S -c "$(ulimit -H -c)"; exec "$@"',
      "sh",
    ]);
    try {
      await site.start();
      const limits = fs.readFileSync(`/proc/${site.child!.pid}/limits`, "utf8");
      expect(limits).toMatch(/^Max core file size +0 /m);
    } finally {
      await site.remove();
    }
  });

  it("makes the database readable only by its owner", async () => {
    const site = new SiteProcess({ ADMIN_EMAIL: ADMIN.email });
    try {
      await site.start();
      expect(fs.statSync(site.databasePath).mode & 0o077).toBe(0);
    } finally {
      await site.remove();
    }
  });
});
