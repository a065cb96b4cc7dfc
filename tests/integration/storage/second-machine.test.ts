import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { command } from "../../command";
import { filesBelow } from "../../files-below";
import { until } from "../../process-figures";
import { addProcessedVideo } from "../../processed-videos";
import { SiteProcess } from "../../site-process";

/**
 * The second machine gets a copy of the database, the store and the secrets, but nothing else from the first machine.
 */
const store = fs.mkdtempSync(path.join(os.tmpdir(), "store-"));
const first = new SiteProcess({ STORAGE_URL: `file://${store}` });
const second = new SiteProcess({ STORAGE_URL: `file://${store}` });
/** The first machine's responses, by URL. */
const served = new Map<string, Buffer>();
let id: string;

beforeAll(async () => {
  await first.start();
  const sqlite = first.database();
  id = addProcessedVideo({ sqlite, uploads: first.uploads }, "complete");
  // Records the file, as an upload does.
  sqlite.exec(`INSERT INTO media_files (bucket, path, video_id, kind, bytes)
    SELECT 'videos', substr(source_url, 15), id, 'video', 1 FROM videos`);
  const due = sqlite.prepare("SELECT count(*) FROM media_files WHERE stored < 1").pluck();
  await until(() => due.get() === 0);
  const names = sqlite
    .prepare("SELECT '/media/' || bucket || '/' || path FROM stored_files")
    .pluck();
  for (const url of names.all() as string[]) {
    served.set(url, Buffer.from(await (await fetch(first.url + url)).arrayBuffer()));
  }
  fs.mkdirSync(path.dirname(second.databasePath), { recursive: true });
  sqlite.prepare("VACUUM INTO ?").run(second.databasePath);
  for (const name of ["session-secret", "records-secret"]) {
    const secret = path.join(path.dirname(first.databasePath), name);
    if (fs.existsSync(secret)) fs.copyFileSync(secret, secret.replace(first.folder, second.folder));
  }
  await first.stop("SIGKILL");
  fs.rmSync(first.uploads, { recursive: true });
  await second.start();
});
afterAll(async () => {
  await first.remove();
  await second.remove();
  fs.rmSync(store, { recursive: true });
});

const run = (...args: string[]) =>
  execa(process.execPath, args, {
    reject: false,
    env: {
      DATABASE_PATH: second.databasePath,
      UPLOADS_DIR: second.uploads,
      STORAGE_URL: `file://${store}`,
    },
  });

it("a second machine serves every file with the same content as the first machine", async () => {
  const files = filesBelow(store).filter((name) => name !== "site.json");
  expect(served.size).toBe(files.length);
  expect(served.size).toBeGreaterThan(20);
  expect(second.log).not.toContain("Nothing is removed automatically");
  for (const [url, bytes] of served) {
    const response = await fetch(second.url + url);
    expect(response.status, url).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes), url).toBe(true);
  }
});

it("the library check finds no problems on the second machine", async () => {
  const { stdout, exitCode } = await run(...command("check-library"));
  expect(stdout).toContain("No problems found.");
  expect(exitCode).toBe(0);
});

it.runIf(ffmpegAvailable())("the second machine encodes videos from the store", async () => {
  fs.rmSync(path.join(second.uploads, "videos"), { recursive: true, force: true });
  const before = second.database().prepare("SELECT preview_url FROM videos WHERE id = ?").pluck();
  const earlier = before.get(id);
  second.database().exec("UPDATE jobs SET state = 'waiting', attempts = 0 WHERE kind = 'preview'");
  const { exitCode, stdout } = await run(...command("jobs", "--once"));
  expect(exitCode, stdout).toBe(0);
  const now = before.get(id) as string;
  expect(now).not.toBe(earlier);
  expect((await fetch(second.url + now)).status).toBe(200);
});
