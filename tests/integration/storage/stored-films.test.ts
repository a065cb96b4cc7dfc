import fs from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MediaName } from "~/media/bucket.server";
import { enqueueRemovals, removeFiles } from "~/media/files/removals.server";
import { diskUsage, forgetFiles, recordFile } from "~/media/media-files.server";
import { localCopy } from "~/media/storage/local-copy.server";
import { readMarker, requireKnownStore } from "~/media/storage/marker.server";
import { moveBack } from "~/media/storage/move-back.server";
import { dueEntries, moveDueFiles } from "~/media/storage/move-files.server";
import { readPointer } from "~/media/storage/pointer.server";
import { finishStoreRemovals, noteRemoval } from "~/media/storage/remove.server";
import { moveOnce } from "~/media/storage/start.server";
import { loader } from "~/routes/media";
import { forgetSettings } from "~/server/settings.server";
import { checkStore, removeStrayObjects } from "~/studio/library/check-store.server";
import { removeVideos } from "~/studio/trash/remove.server";
import { restoreVideos } from "~/studio/trash/restore.server";
import { purge } from "~/studio/trash/trash.server";
import { sqliteHandle, writeTransaction } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

const FILM = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
const URL_PATH = "/media/videos/u/1700000000000.mp4";
const NAME = { bucket: "videos", path: "u/1700000000000.mp4" } as const;
const DERIVED = { bucket: "videos", path: "u/1700000000000" } as const;
const DAY_MS = 86_400_000;

let site: ReturnType<typeof useTemporarySite>;
let storeFolder: string;

beforeEach(async () => {
  site = useTemporarySite();
  storeFolder = path.join(site.folder, "store");
  process.env.STORAGE_URL = `file://${storeFolder}`;
  forgetSettings();
  fs.mkdirSync(storeFolder);
  write("videos/u/1700000000000.mp4", FILM);
  write("videos/u/1700000000000/hls-1/v0.mp4", FILM);
  write("videos/u/1700000000000/hls-1/master.m3u8", `#EXTM3U\n${"#\n".repeat(50_000)}`);
  addVideo();
  await recordFile({ ...NAME, videoId: "v", kind: "video" });
  await recordFile({ ...DERIVED, videoId: "v", kind: "derived" });
});
afterEach(() => site.remove());

const at = (name: string) => path.join(site.uploads, name);
const film = () => at("videos/u/1700000000000.mp4");

function write(name: string, content: Buffer | string) {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), content);
}

function addVideo() {
  sqliteHandle()
    .prepare(
      "INSERT INTO videos (id, title, category, status, video_url) VALUES ('v', 'A', 'desi', 'published', ?)",
    )
    .run(URL_PATH);
}

async function ask(headers: Record<string, string> = {}, method = "GET", url = URL_PATH) {
  const request = new Request(`http://site.example${url}`, { method, headers });
  return loader({ request, params: {}, context: {} });
}

async function objects(): Promise<string[]> {
  const all = await readdir(storeFolder, { recursive: true, withFileTypes: true });
  return all.filter((each) => each.isFile()).map(({ name }) => name);
}

/** Without the copies of what stays on the disk, see stored-copies.test.ts. */
async function films(): Promise<string[]> {
  return (await objects()).filter((name) => !name.endsWith(".tar"));
}

const setStatus = (status: string) =>
  sqliteHandle().prepare("UPDATE videos SET status = ?").run(status);

describe("a film that was moved into the store", () => {
  it("leaves a pointer on the disk; playlists stay", async () => {
    const used = sqliteHandle().prepare("SELECT bytes FROM storage").pluck();
    const before = used.get();
    expect(await moveDueFiles()).toEqual({ files: 2, bytes: 2 * FILM.length });
    expect(fs.statSync(film()).size).toBeLessThan(2_048);
    expect(fs.readFileSync(at("videos/u/1700000000000/hls-1/master.m3u8"), "utf8")).toMatch(
      /^#EXTM3U/,
    );
    expect(await films()).toHaveLength(2);
    expect(await diskUsage(film())).toBe(FILM.length);
    expect(used.get()).toBe(before);
    expect(dueEntries()).toBe(0);
    expect(await moveDueFiles()).toEqual({ files: 0, bytes: 0 });
  });

  it("is answered as it was: whole, in ranges, and to conditions", async () => {
    const local = await ask({}, "HEAD");
    await moveDueFiles();
    const head = await ask({}, "HEAD");
    for (const name of [
      "ETag",
      "Last-Modified",
      "Content-Length",
      "Content-Type",
      "Cache-Control",
    ]) {
      expect(head.headers.get(name), name).toBe(local.headers.get(name));
    }
    expect(Buffer.from(await (await ask()).arrayBuffer()).equals(FILM)).toBe(true);
    const part = await ask({ Range: "bytes=1000-1999", "If-Range": head.headers.get("ETag")! });
    expect([part.status, part.headers.get("Content-Range")]).toEqual([
      206,
      "bytes 1000-1999/200000",
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(FILM.subarray(1000, 2000))).toBe(true);
    expect((await ask({ Range: "bytes=200000-" })).status).toBe(416);
    const etag = head.headers.get("ETag")!;
    expect((await ask({ "If-None-Match": etag })).status).toBe(304);
    expect((await ask({ "If-Match": '"other"' })).status).toBe(412);
    const changed = await ask({ Range: "bytes=0-9", "If-Range": '"other"' });
    expect(changed.status).toBe(200);
    await changed.body?.cancel();
    const stream = await ask(
      { Range: "bytes=5-9" },
      "GET",
      "/media/videos/u/1700000000000/hls-1/v0.mp4",
    );
    expect(Buffer.from(await stream.arrayBuffer())).toEqual(FILM.subarray(5, 10));
  });

  it("is not there for the public once its video is hidden, at once", async () => {
    await moveDueFiles();
    setStatus("hidden");
    for (const url of [URL_PATH, "/media/videos/u/1700000000000/hls-1/v0.mp4"]) {
      expect((await ask({}, "GET", url)).status).toBe(404);
    }
  });

  it("is read by a job from a copy that was compared with its digest", async () => {
    await moveDueFiles();
    const copy = await localCopy(film(), at("tmp"));
    expect(copy).not.toBe(film());
    expect(fs.readFileSync(copy).equals(FILM)).toBe(true);
    const { key } = (await readPointer(film()))!;
    fs.writeFileSync(path.join(storeFolder, key), Buffer.alloc(FILM.length));
    await expect(localCopy(film(), at("tmp"))).rejects.toMatchObject({ failure: "damaged" });
  });

  it("is 503 while the store has not got it, and a sentence", async () => {
    await moveDueFiles();
    const { key } = (await readPointer(film()))!;
    fs.renameSync(path.join(storeFolder, key), path.join(site.folder, "aside"));
    const said = console.error;
    const lines: string[] = [];
    console.error = (line: string) => lines.push(line);
    const answer = await ask();
    console.error = said;
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(await answer.text()).toContain("try again");
    expect(lines).toEqual([expect.stringContaining("is not in the file store")]);
    expect((await checkStore())?.missing).toEqual(["videos/u/1700000000000.mp4"]);
  });

  it("waits for the jobs of its video", async () => {
    const add = "INSERT INTO jobs (video_id, kind, priority) VALUES ('v', ?, 0)";
    sqliteHandle().prepare(add).run("ladder");
    expect(await moveDueFiles()).toEqual({ files: 0, bytes: 0 });
    sqliteHandle().prepare("DELETE FROM jobs").run();
    sqliteHandle().prepare(add).run("cleanup");
    expect((await moveDueFiles()).files).toBe(2);
  });

  it("is moved anew when it was written anew", async () => {
    await moveDueFiles();
    const replaced = Buffer.alloc(100_000, 1);
    fs.rmSync(film());
    fs.writeFileSync(film(), replaced);
    await recordFile({ ...NAME, videoId: "v", kind: "video" });
    expect(await moveDueFiles()).toEqual({ files: 1, bytes: replaced.length });
    expect(Buffer.from(await (await ask()).arrayBuffer()).equals(replaced)).toBe(true);
  });
});

describe("what is deleted", () => {
  async function remove(...files: MediaName[]): Promise<void> {
    await writeTransaction(() => enqueueRemovals(files, { reason: "deleted" }, Date.now() + 1_000));
    await removeFiles();
  }

  it("comes back from the trash, and leaves the store with it", async () => {
    await moveDueFiles();
    await removeVideos(["v"], "u");
    await removeFiles();
    expect(await finishStoreRemovals()).toBe(0);
    expect(fs.existsSync(film())).toBe(true);
    await restoreVideos(["v"], "u");
    expect(Buffer.from(await (await ask()).arrayBuffer()).equals(FILM)).toBe(true);
    await removeVideos(["v"], "u");
    await purge(["v"]);
    await removeFiles();
    expect(await finishStoreRemovals()).toBe(2);
    await moveOnce();
    expect(await objects()).toEqual([]);
  });

  it("is remembered while the store is away", async () => {
    await moveDueFiles();
    sqliteHandle().exec("DELETE FROM videos");
    await remove(NAME, DERIVED);
    expect(fs.existsSync(film())).toBe(false);
    fs.renameSync(storeFolder, `${storeFolder}-away`);
    fs.writeFileSync(storeFolder, "");
    await expect(finishStoreRemovals()).rejects.toThrow();
    fs.rmSync(storeFolder);
    fs.renameSync(`${storeFolder}-away`, storeFolder);
    expect(await finishStoreRemovals()).toBeGreaterThan(0);
    expect(await films()).toEqual([]);
  });

  it("stays in the store while it has a second name", async () => {
    await moveDueFiles();
    const second = at("videos/u/1700000000000/original-1-1-1.mp4");
    fs.linkSync(film(), second);
    await remove({ bucket: "videos", path: "u/1700000000000/original-1-1-1.mp4" });
    await finishStoreRemovals();
    expect(Buffer.from(await (await ask()).arrayBuffer()).equals(FILM)).toBe(true);
  });

  it("is found where nothing refers to it anymore, once it is a week old", async () => {
    await moveDueFiles();
    fs.rmSync(film());
    await forgetFiles([NAME]);
    sqliteHandle().exec("DELETE FROM videos");
    await moveOnce();
    expect((await checkStore())?.stray).toEqual([]);
    const { stray, lostCopies } = (await checkStore(Date.now() + 8 * DAY_MS))!;
    expect(lostCopies).toEqual([]);
    expect(stray).toEqual([{ key: expect.stringMatching(/^videos\/u\/17/), bytes: FILM.length }]);
    expect(await removeStrayObjects({ stray, unfinished: [] })).toEqual(stray);
    expect(await films()).toHaveLength(1);
  });

  it("stays in the store while a row names the file whose pointer was lost", async () => {
    await moveDueFiles();
    sqliteHandle().exec("DELETE FROM stored_copies");
    fs.rmSync(film());
    const { stray } = (await checkStore(Date.now() + 8 * DAY_MS))!;
    expect(stray.filter(({ key }) => key.startsWith("videos/"))).toEqual([]);
  });

  it("stays in the store while only the copy of its lost pointer names it", async () => {
    await moveOnce();
    sqliteHandle().exec("DELETE FROM videos");
    fs.rmSync(film());
    expect((await checkStore(Date.now() + 8 * DAY_MS))?.stray).toEqual([]);
  });

  it("stays in the store when its pointer is back by the time that it is to be removed", async () => {
    await moveDueFiles();
    const pointer = fs.readFileSync(film());
    fs.rmSync(film());
    await forgetFiles([NAME]);
    sqliteHandle().exec("DELETE FROM videos");
    await moveOnce();
    const { stray } = (await checkStore(Date.now() + 8 * DAY_MS))!;
    expect(stray).toHaveLength(1);
    fs.writeFileSync(film(), pointer);
    expect(await removeStrayObjects({ stray, unfinished: [] })).toEqual([]);
    expect(await films()).toHaveLength(2);
  });

  it("stays in the store while most recorded files are missing", async () => {
    await moveDueFiles();
    fs.rmSync(at("videos"), { recursive: true });
    const [name] = await films();
    const stray = [{ key: `videos/u/${name}`, bytes: FILM.length }];
    sqliteHandle().exec("DELETE FROM stored_copies");
    expect(await removeStrayObjects({ stray, unfinished: [] })).toEqual([]);
    expect(await films()).toHaveLength(2);
  });

  it("stays in the store when the site was killed before the pointer was removed", async () => {
    await moveDueFiles();
    const { key } = (await readPointer(film()))!;
    await noteRemoval(key);
    expect(await finishStoreRemovals()).toBe(0);
    expect(Buffer.from(await (await ask()).arrayBuffer()).equals(FILM)).toBe(true);
    fs.rmSync(film());
    expect(await finishStoreRemovals()).toBe(1);
  });
});

describe("moving back", () => {
  it("brings every file back, with its time, and empties the store", async () => {
    const modified = fs.statSync(film()).mtimeMs;
    await moveOnce();
    expect(readMarker()?.direction).toBe("there");
    const seen: number[] = [];
    expect(await moveBack(({ files }) => seen.push(files))).toEqual({
      files: 2,
      bytes: 2 * FILM.length,
    });
    expect(seen).toEqual([1, 2]);
    await finishStoreRemovals();
    expect(await objects()).toEqual([]);
    expect(fs.readFileSync(film()).equals(FILM)).toBe(true);
    expect(Math.abs(fs.statSync(film()).mtimeMs - modified)).toBeLessThan(2);
  });

  it("is needed before the site starts without its store, or with another", async () => {
    await moveOnce();
    delete process.env.STORAGE_URL;
    forgetSettings();
    expect(requireKnownStore).toThrow(/^STORAGE_URL must be set to file:/);
    process.env.STORAGE_URL = `file://${site.folder}/other`;
    forgetSettings();
    expect(requireKnownStore).toThrow(/^STORAGE_URL must be file:.*move-storage/);
  });
});

describe("a store that takes nothing", () => {
  it("leaves the film where it is, and takes it later", async () => {
    fs.rmSync(storeFolder, { recursive: true });
    fs.writeFileSync(storeFolder, "");
    await expect(moveDueFiles()).rejects.toThrow();
    expect(fs.readFileSync(film()).equals(FILM)).toBe(true);
    expect(dueEntries()).toBe(2);
    fs.rmSync(storeFolder);
    expect((await moveDueFiles()).files).toBe(2);
  });
});
