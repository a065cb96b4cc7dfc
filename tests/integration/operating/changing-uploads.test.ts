import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { execa } from "execa";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  digestOf,
  listUploads,
  readListing,
} from "~/features/operations/backups/backup-files.server";
import { storedBackups } from "~/features/operations/backups/backup-folder.server";
import { removeVideos } from "~/features/trash/remove.server";
import { parseMediaUrl } from "~/media/bucket.server";
import { UNFINISHED } from "~/media/files/temporary-files.server";
import { forgetSettings } from "~/platform/settings.server";
import { database } from "~db/client.server";
import { addVideo, useAdminSite } from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { command } from "../../command";
import { until } from "../../process-figures";

const lastBackups = (most: number) =>
  database().selectFrom("backups").selectAll().orderBy("id", "desc").limit(most).execute();

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** A file that is copied before user `u`'s files. The backup pauses after copying this file. */
const FIRST = "videos/0/first.mp4";

const site = useAdminSite();
let folder: string;
beforeEach(() => {
  folder = path.join(site.folder, "backups");
  fs.mkdirSync(folder);
  process.env.BACKUP_DIR = folder;
  forgetSettings();
  put(FIRST, "first");
});

const at = (name: string) => path.join(site.uploads, name);

function put(name: string, content: string | Buffer): void {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), content);
}

/** Adds a video with a file in its bucket. */
function addFile(id: string, name = `videos/u/${id}.mp4`): void {
  put(name, id);
  addVideo({ id, title: id, video_url: `/media/${name}` });
}

/** Replaces a file's content in the same way as the site does. */
function replaceFile(name: string, content: string): void {
  put(`${name}.part`, content);
  fs.renameSync(at(`${name}.part`), at(name));
}

/** @param preloads modules of tests/servers. */
function startScript(
  name: string,
  parameters: string[],
  preloads: string[] = [],
  environment: Record<string, string> = {},
) {
  const modules = preloads.map((each) => path.join(root, `tests/servers/${each}.mjs`));
  const child = execa(
    process.execPath,
    [...modules.flatMap((each) => ["--import", each]), ...command(name, ...parameters)],
    { cwd: root, reject: false, env: { ...process.env, ...environment } },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}
type Script = ReturnType<typeof startScript>;

/**
 * Starts a backup that pauses whenever it has copied the first file. At each pause, the other files have already been
 * listed.
 */
const startBackup = (...parameters: string[]) =>
  startScript("backup", parameters, ["signal-at-change"], {
    SIGNAL: "SIGSTOP",
    // This pattern excludes the folder in which the backup is verified.
    SIGNAL_IN: `/(\\.unfinished-[^/]+|target)/uploads/${FIRST}\\.partial$`,
    SIGNAL_CALLS: "renameSync",
  });

const stopped = ({ pid }: Script) =>
  until(() => /^State:\s+T/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8")));
const resume = ({ pid }: Script) => process.kill(pid!, "SIGCONT");

/** Returns the path of a file in the unfinished backup. */
function unfinished(name: string): string {
  const backup = fs.readdirSync(folder).find((each) => each.startsWith(".unfinished-"))!;
  return path.join(folder, backup, name);
}

/**
 * Creates a backup. Files are listed and copied twice, before and after the database is copied, and each callback runs
 * during one of these passes.
 */
async function backUp(
  whileCopying: () => Promise<void> | void,
  whileCopyingAgain: () => Promise<void> | void,
) {
  const backup = startBackup();
  await stopped(backup);
  await whileCopying();
  expect(fs.existsSync(unfinished("site.sqlite"))).toBe(false);
  fs.appendFileSync(at(FIRST), ", so that it is copied again");
  resume(backup);
  await until(() => fs.existsSync(unfinished("site.sqlite")));
  await stopped(backup);
  await whileCopyingAgain();
  resume(backup);
  const { exitCode, stderr } = await backup;
  return { exitCode, stderr, name: storedBackups(folder)[0] ?? "none" };
}

const copyOf = (name: string, file: string) => path.join(folder, name, "uploads", file);

/** Returns the entry for a file in a backup, after checking that it matches the copy. */
function entryOf(name: string, file: string) {
  const entry = readListing(path.join(folder, name)).find((each) => each.path === file);
  const copy = copyOf(name, file);
  expect(entry).toMatchObject({ bytes: fs.statSync(copy).size, sha256: digestOf(copy) });
  return entry!;
}

describe("a backup that is created while files are changing", () => {
  it("includes a stream that is being encoded, and all files that its playlists reference", async () => {
    const stream = "videos/u/1/hls-a";
    put(`${stream}/${UNFINISHED}`, "");
    addVideo({ id: "1", title: "1", video_url: "", hls_url: `/media/${stream}/master.m3u8` });
    put(`${stream}/master.m3u8`, "#EXTM3U");
    // Simulates a growing stream. Its playlist contains only the length of the media file.
    const encoder = spawn(process.execPath, [
      "-e",
      `const fs = require("node:fs");
       const [, folder] = process.argv;
       const pause = new Int32Array(new SharedArrayBuffer(4));
       for (let length = 0; ; Atomics.wait(pause, 0, 0, 1)) {
         fs.appendFileSync(folder + "/1080p.mp4", Buffer.alloc(4096, length / 4096));
         length += 4096;
         fs.writeFileSync(folder + "/1080p.m3u8.part", String(length));
         fs.renameSync(folder + "/1080p.m3u8.part", folder + "/1080p.m3u8");
       }`,
      at(stream),
    ]);
    onTestFinished(() => void encoder.kill("SIGKILL"));
    const length = () => Number(fs.readFileSync(at(`${stream}/1080p.m3u8`), "utf8"));
    const grow = () => {
      const before = length();
      return until(() => length() > before);
    };
    await until(() => fs.existsSync(at(`${stream}/1080p.m3u8`)));

    const { exitCode, stderr, name } = await backUp(grow, grow);
    encoder.kill("SIGKILL");
    await once(encoder, "exit");
    expect([exitCode, stderr]).toEqual([0, ""]);
    const { bytes } = entryOf(name, `${stream}/1080p.mp4`);
    const encoded = fs.readFileSync(at(`${stream}/1080p.mp4`));
    expect(bytes).toBeLessThanOrEqual(encoded.length);
    const copy = fs.readFileSync(copyOf(name, `${stream}/1080p.mp4`));
    expect(copy.equals(encoded.subarray(0, bytes))).toBe(true);
    entryOf(name, `${stream}/1080p.m3u8`);
    const named = Number(fs.readFileSync(copyOf(name, `${stream}/1080p.m3u8`), "utf8"));
    expect(named).toBeGreaterThan(0);
    expect(named).toBeLessThanOrEqual(bytes);
    entryOf(name, `${stream}/${UNFINISHED}`);
    entryOf(name, `${stream}/master.m3u8`);
  }, 120_000);

  it("succeeds while an import is copying files", async () => {
    const source = path.join(site.folder, "source");
    fs.mkdirSync(source);
    fs.copyFileSync(mp4Clip(1), path.join(source, "video.mp4"));
    const running = startScript("import", [source, "--category", "desi"], ["copy-in-parts"]);
    const copied = () =>
      listUploads(site.uploads).find(({ path: name }) => /^videos\/u\/\d+\.mp4$/.test(name));
    const size = () => copied()?.bytes ?? 0;
    const copyMore = async () => {
      const before = size();
      if (before > 0) resume(running);
      await until(() => size() > before);
      await stopped(running);
    };
    await copyMore();
    const { exitCode, stderr, name } = await backUp(copyMore, copyMore);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const { bytes } = entryOf(name, copied()!.path);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(size());
  }, 120_000);

  it("succeeds while files are deleted and replaced, and contains the files that its rows reference", async () => {
    for (const id of ["deleted", "deleted-later", "kept", "replaced", "trashed", "trashed-later"]) {
      addFile(id);
    }
    const finished = "videos/u/2/hls-a";
    put(`${finished}/${UNFINISHED}`, "");
    put(`${finished}/1080p.m3u8`, "growing");
    for (const name of ["videos/u/3/hls-a/1080p.mp4", "thumbnails/u/3/320.webp"]) put(name, "old");

    const { exitCode, stderr, name } = await backUp(
      async () => {
        await removeVideos(["trashed"], "u");
        addFile("new");
        replaceFile("videos/u/replaced.mp4", "replaced once");
        fs.rmSync(at("videos/u/deleted.mp4"));
        fs.rmSync(at("videos/u/3"), { recursive: true });
        fs.rmSync(at(`${finished}/${UNFINISHED}`));
        replaceFile(`${finished}/1080p.m3u8`, "whole");
      },
      async () => {
        await removeVideos(["trashed-later"], "u");
        addFile("too-late");
        replaceFile("videos/u/replaced.mp4", "replaced for the second time");
        fs.rmSync(at("videos/u/deleted-later.mp4"));
        fs.rmSync(at("thumbnails/u/3"), { recursive: true });
      },
    );
    expect([exitCode, stderr]).toEqual([0, ""]);
    for (const { path: file } of readListing(path.join(folder, name))) entryOf(name, file);
    const database = new Sqlite(path.join(folder, name, "site.sqlite"), { readonly: true });
    const urls = database.prepare("SELECT video_url FROM videos ORDER BY id").pluck().all();
    const trash = database
      .prepare("SELECT json_extract(row, '$.video_url') FROM deleted_videos ORDER BY id")
      .pluck()
      .all() as string[];
    database.close();
    // One row references a file that was deleted before the database was copied.
    const named = (urls as string[]).filter((url) => !url.endsWith("/deleted.mp4"));
    expect(named).toHaveLength(5);
    for (const url of named) {
      const { bucket, path: file } = parseMediaUrl(url)!;
      expect(fs.existsSync(copyOf(name, `${bucket}/${file}`)), url).toBe(true);
    }
    expect(trash).toEqual(["/media/videos/u/trashed.mp4"]);
    expect(fs.readFileSync(copyOf(name, "videos/u/trashed.mp4"), "utf8")).toBe("trashed");
    expect(fs.readFileSync(copyOf(name, "videos/u/replaced.mp4"), "utf8")).toBe("replaced once");
    expect(fs.readFileSync(copyOf(name, `${finished}/1080p.m3u8`), "utf8")).toBe("whole");
    expect(fs.existsSync(copyOf(name, `${finished}/${UNFINISHED}`))).toBe(false);
  }, 120_000);

  it("copies the current version of a file if its copy in the backup is damaged", async () => {
    for (const id of ["damaged", "damaged-replaced"]) addFile(id, `videos/0/${id}.mp4`);
    const { exitCode, name } = await backUp(
      () => {},
      () => {
        damage(unfinished("uploads/videos/0/damaged.mp4"));
        damage(unfinished("uploads/videos/0/damaged-replaced.mp4"));
        replaceFile("videos/0/damaged-replaced.mp4", "another version");
      },
    );
    expect(exitCode).toBe(0);
    expect(await lastBackups(1)).toMatchObject([{ state: "done", repaired: 2 }]);
    const contentOf = (id: string) => fs.readFileSync(copyOf(name, `videos/0/${id}.mp4`), "utf8");
    expect(contentOf("damaged")).toBe("damaged");
    expect(contentOf("damaged-replaced")).toBe("another version");
    for (const { path: file } of readListing(path.join(folder, name))) entryOf(name, file);
  }, 120_000);

  it("fails when a file is damaged in the backup and missing on the site", async () => {
    put("videos/0/damaged.mp4", "damaged");
    const { exitCode, stderr, name } = await backUp(
      () => {},
      () => {
        damage(unfinished("uploads/videos/0/damaged.mp4"));
        fs.rmSync(at("videos/0/damaged.mp4"));
      },
    );
    expect([exitCode, name]).toEqual([1, "none"]);
    expect(stderr).toContain("The copy of videos/0/damaged.mp4 in the backup is damaged");
  }, 120_000);
});

/** Changes one byte, but neither the size nor the modification time. */
function damage(file: string): void {
  const { mtime } = fs.statSync(file);
  const content = fs.readFileSync(file);
  content[0] = ~content[0]!;
  fs.writeFileSync(file, content);
  fs.utimesSync(file, mtime, mtime);
}

describe("the list of files", () => {
  it("is complete while other folders are being created and deleted", async () => {
    addFile("kept");
    const other = spawn(
      process.execPath,
      [
        "-e",
        `const fs = require("node:fs");
         const [, folder] = process.argv;
         for (let round = 0; ; round = (round + 1) % 100) {
           if (round === 0) process.send("again");
           fs.mkdirSync(folder + "/" + round + "/hls-a", { recursive: true });
           fs.rmSync(folder + "/" + (round + 50) % 100, { recursive: true, force: true });
         }`,
        at("videos/u"),
      ],
      { stdio: ["ignore", "inherit", "inherit", "ipc"] },
    );
    onTestFinished(() => void other.kill("SIGKILL"));
    let rounds = 0;
    other.on("message", () => rounds++);
    await until(() => {
      expect(listUploads(site.uploads).map((file) => file.path)).toContain("videos/u/kept.mp4");
      return rounds > 5;
    });
    other.kill("SIGKILL");
    await once(other, "exit");
  }, 60_000);
});

describe("npm run backup with a folder", () => {
  it("lists the copied files, and removes an unfinished stream's marker once the stream is complete", async () => {
    const target = path.join(site.folder, "target");
    const marker = `videos/u/1/hls-a/${UNFINISHED}`;
    put(marker, "");
    expect((await startScript("backup", [target, "--with-uploads"])).exitCode).toBe(0);
    expect(readListing(target).map((file) => file.path)).toEqual([marker, FIRST]);

    fs.rmSync(at(marker));
    put("videos/u/deleted.mp4", "deleted");
    replaceFile(FIRST, "another version");
    const again = startBackup(target, "--with-uploads");
    await stopped(again);
    fs.rmSync(at("videos/u/deleted.mp4"));
    resume(again);
    expect((await again).exitCode).toBe(0);
    const copied = listUploads(path.join(target, "uploads")).map((file) => file.path);
    expect(copied).toEqual([FIRST]);
    expect(readListing(target)).toMatchObject([{ path: FIRST, bytes: "another version".length }]);
  }, 120_000);
});
