import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loader as feed } from "~/features/catalogue/routes/feed";
import { checkDocuments, enqueueDocumentRemovals } from "~/features/consent/documents.server";
import {
  checkLibrary,
  quarantineStray,
} from "~/features/operations/library-check/check-library.server";
import {
  checkStore,
  quarantineObjects,
  recoverFiles,
} from "~/features/operations/library-check/check-store.server";
import { missingFiles } from "~/features/operations/library-check/missing-files.server";
import {
  createSeenFiles,
  trackFiles,
} from "~/features/operations/library-check/track-files.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { purge } from "~/features/trash/trash.server";
import { loader } from "~/features/watch/routes/media";
import { bucketFile, type MediaName } from "~/media/bucket.server";
import { evictCopies, localFile, readText } from "~/media/files/local-copies.server";
import { removeFiles } from "~/media/files/removals.server";
import {
  announceObjects,
  isStored,
  OBJECT_GRACE_MS,
  recordStored,
  storedFile,
} from "~/media/files/stored-files.server";
import { requireDiskSpace } from "~/media/intake/disk-space.server";
import { diskUsage, fileExists, recordFile } from "~/media/media-files.server";
import { identifySite } from "~/media/removal-guard.server";
import { moveBack, setMovingToDisk } from "~/media/storage/move-back.server";
import { dueEntries, moveIntoStore } from "~/media/storage/move-into-store.server";
import { startMovingFiles, tryStore } from "~/media/storage/start.server";
import { ownStore, requireStoreSetting } from "~/media/storage/store-identity.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { stopRuntime } from "~db/runtime.server";
import { filesBelow } from "../../files-below";
import { useTemporarySite } from "../../temporary-site";

const VIDEO = Buffer.from(Array.from({ length: 1_200_000 }, (_, index) => index % 251));
const RENDITION = VIDEO.subarray(0, 200_000);
const PLAYLIST = "#EXTM3U\n";
const NAME = { bucket: "videos", path: "u/1700000000000.mp4" } as const;
const DERIVED = { bucket: "videos", path: "u/1700000000000" } as const;
const DERIVED_PLAYLIST = { ...DERIVED, path: `${DERIVED.path}/hls-1/master.m3u8` } as const;
const THUMBNAIL = { bucket: "thumbnails", path: "u/1700000000000.webp" } as const;
const URL_PATH = `/media/videos/${NAME.path}`;
const RENDITION_URL = "/media/videos/u/1700000000000/hls-1/v0.mp4";
const PLAYLIST_URL = "/media/videos/u/1700000000000/hls-1/master.m3u8";
const FILES = 4;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let site: ReturnType<typeof useTemporarySite>;
let storeFolder: string;

beforeEach(async () => {
  site = useTemporarySite();
  storeFolder = path.join(site.folder, "store");
  fs.mkdirSync(storeFolder);
  set({ STORAGE_URL: `file://${storeFolder}` });
  write("videos/u/1700000000000.mp4", VIDEO);
  write("videos/u/1700000000000/hls-1/v0.mp4", RENDITION);
  write("videos/u/1700000000000/hls-1/master.m3u8", PLAYLIST);
  write("thumbnails/u/1700000000000.webp", "an image");
  sqliteHandle()
    .prepare(
      `INSERT INTO videos (id, title, category, status, video_url, thumbnail_url)
       VALUES ('v', 'A', 'desi', 'published', ?, '/media/thumbnails/u/1700000000000.webp')`,
    )
    .run(URL_PATH);
  await recordFile({ ...NAME, videoId: "v", kind: "video" });
  await recordFile({ ...DERIVED, videoId: "v", kind: "derived" });
  await recordFile({ ...THUMBNAIL, videoId: "v", kind: "thumbnail" });
  await identifySite();
});
afterEach(() => site.remove());

function set(variables: Record<string, string | undefined>) {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  forgetSettings();
}

const at = (name: string) => path.join(site.uploads, name);
const fileOf = ({ bucket, path: name }: MediaName) => bucketFile(bucket, name)!;
const video = () => fileOf(NAME);
const objects = () => filesBelow(storeFolder).filter((name) => name !== "site.json");
const objectOf = (name: MediaName) => path.join(storeFolder, storedFile(name)!.object);
const local = () =>
  filesBelow(site.uploads).filter((name) => /^(?:videos|thumbnails)\//.test(name));

function write(name: string, content: Buffer | string) {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), content);
}

async function sendRequest(headers: Record<string, string> = {}, method = "GET", url = URL_PATH) {
  const request = new Request(`http://site.example${url}`, { method, headers });
  return loader({ request, params: {}, context: {} });
}

async function bytesOf(url = URL_PATH): Promise<Buffer> {
  const response = await sendRequest({}, "GET", url);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Evicts every copy from the disk. */
async function evictAll() {
  set({ STORAGE_CACHE_BYTES: "0" });
  const evicted = await evictCopies({ now: Date.now() + HOUR_MS });
  set({ STORAGE_CACHE_BYTES: undefined });
  return evicted;
}

/** Simulates a machine that has only a copy of the database and the settings. */
function loseDisk() {
  fs.rmSync(site.uploads, { recursive: true });
  for (const name of ["videos", "thumbnails", "tmp"]) fs.mkdirSync(at(name), { recursive: true });
}

const setStatus = (status: string) =>
  sqliteHandle().prepare("UPDATE videos SET status = ?").run(status);
const removals = () =>
  sqliteHandle().prepare("SELECT bucket, path FROM removals ORDER BY id").all();

describe("files that were moved into the store", () => {
  it("are complete in the store, and the disk keeps copies", async () => {
    const used = sqliteHandle().prepare("SELECT bytes FROM storage").pluck();
    const before = used.get();
    const { files } = await moveIntoStore();
    expect(files).toBe(FILES);
    expect(objects()).toHaveLength(FILES);
    expect(fs.readFileSync(objectOf(NAME)).equals(VIDEO)).toBe(true);
    expect(local()).toHaveLength(FILES);
    expect(dueEntries()).toBe(0);
    expect(removals()).toEqual([]);
    expect(used.get()).toBe(before);
    expect(await moveIntoStore()).toEqual({ files: 0, bytes: 0 });
  });

  it("are served as before, whether or not the disk still has a copy", async () => {
    const names = ["ETag", "Last-Modified", "Content-Length", "Content-Type", "Cache-Control"];
    const headersOf = async () => {
      const { headers } = await sendRequest({}, "HEAD");
      return names.map((name) => headers.get(name));
    };
    const before = await headersOf();
    await moveIntoStore();
    expect(await headersOf()).toEqual(before);
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
    await evictAll();
    expect(local()).toEqual([]);
    expect(await headersOf()).toEqual(before);
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
    const part = await sendRequest({ Range: "bytes=1000-1999", "If-Range": before[0]! });
    expect([part.status, part.headers.get("Content-Range")]).toEqual([
      206,
      "bytes 1000-1999/1200000",
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(VIDEO.subarray(1000, 2000))).toBe(true);
    expect((await sendRequest({ Range: "bytes=1200000-" })).status).toBe(416);
    expect((await sendRequest({ "If-None-Match": before[0]! })).status).toBe(304);
    expect((await sendRequest({ "If-Match": '"other"' })).status).toBe(412);
    expect((await bytesOf(PLAYLIST_URL)).toString()).toBe(PLAYLIST);
    expect((await bytesOf(RENDITION_URL)).equals(RENDITION)).toBe(true);
  });

  it("have the right length in the feed", async () => {
    await moveIntoStore();
    await evictAll();
    const request = new Request("http://site.example/feed.xml");
    const response = await feed({ request, params: {}, context: {} });
    expect(await (response as Response).text()).toContain(
      `url="http://site.example${URL_PATH}" length="${VIDEO.length}"`,
    );
  });

  it("are hidden with their video immediately", async () => {
    await moveIntoStore();
    await evictAll();
    setStatus("hidden");
    for (const url of [URL_PATH, RENDITION_URL, PLAYLIST_URL]) {
      expect((await sendRequest({}, "GET", url)).status).toBe(404);
    }
  });

  it("return 404 if the store has lost the object", async () => {
    await moveIntoStore();
    await evictAll();
    fs.rmSync(objectOf(NAME));
    const logged = console.error;
    const lines: string[] = [];
    console.error = (line: string) => lines.push(line);
    const response = await sendRequest();
    console.error = logged;
    expect(response.status).toBe(404);
    expect(lines).toEqual([expect.stringContaining("is not in the file store")]);
    expect((await checkStore())?.missing).toEqual([`videos/${NAME.path}`]);
  });

  it("return 503 while the store doesn't respond, including a playlist with captions", async () => {
    const captions = "/media/videos/u/1700000000000/added-captions/en.vtt";
    write(captions.replace("/media/", ""), "WEBVTT\n");
    sqliteHandle()
      .prepare("UPDATE videos SET hls_url = ?, captions = ?")
      .run(PLAYLIST_URL, JSON.stringify([{ url: captions, language: "en", label: "English" }]));
    await recordFile({ ...DERIVED, videoId: "v", kind: "derived" });
    await moveIntoStore();
    await evictAll();
    expect((await bytesOf(PLAYLIST_URL)).toString()).toContain("#EXTM3U");
    await evictAll();
    fs.renameSync(storeFolder, `${storeFolder}-away`);
    const logged = console.error;
    console.error = () => {};
    for (const url of [URL_PATH, PLAYLIST_URL, captions]) {
      const { status, headers } = await sendRequest({}, "GET", url);
      expect([status, headers.get("Retry-After")], url).toEqual([503, "5"]);
    }
    console.error = logged;
    fs.renameSync(`${storeFolder}-away`, storeFolder);
  });

  it("aren't moved while their video has unfinished jobs", async () => {
    const add = "INSERT INTO jobs (video_id, kind, priority) VALUES ('v', ?, 0)";
    sqliteHandle().prepare(add).run("ladder");
    expect(await moveIntoStore()).toEqual({ files: 0, bytes: 0 });
    sqliteHandle().prepare("DELETE FROM jobs").run();
    sqliteHandle().prepare(add).run("cleanup");
    expect((await moveIntoStore()).files).toBe(FILES);
  });

  it("are moved again when they are rewritten, and the old object is removed after a week", async () => {
    await moveIntoStore();
    const earlier = objectOf(NAME);
    const replaced = Buffer.alloc(100_000, 1);
    fs.rmSync(video());
    fs.writeFileSync(video(), replaced);
    expect((await bytesOf()).equals(replaced)).toBe(true);
    await recordFile({ ...NAME, videoId: "v", kind: "video" });
    expect(await moveIntoStore()).toEqual({ files: 1, bytes: replaced.length });
    await evictAll();
    expect((await bytesOf()).equals(replaced)).toBe(true);
    await removeFiles();
    expect(fs.existsSync(earlier)).toBe(true);
    await removeFiles(Date.now() + OBJECT_GRACE_MS + HOUR_MS);
    expect(fs.existsSync(earlier)).toBe(false);
    expect(objects()).toHaveLength(FILES);
  });

  it("are moved even if one of them can't be read", async () => {
    fs.rmSync(fileOf(THUMBNAIL));
    fs.mkdirSync(fileOf(THUMBNAIL));
    fs.mkdirSync(path.join(fileOf(THUMBNAIL), "x".repeat(10)));
    const unreadable = path.join(fileOf(THUMBNAIL), "x".repeat(10));
    fs.rmdirSync(unreadable);
    fs.symlinkSync("/dev/null", unreadable);
    await moveIntoStore();
    expect(objects()).toHaveLength(FILES - 1);
  });

  it("stay on the disk while the store rejects uploads", async () => {
    await ownStore();
    fs.renameSync(storeFolder, `${storeFolder}-away`);
    fs.writeFileSync(storeFolder, "");
    await expect(moveIntoStore()).rejects.toThrow();
    expect(fs.readFileSync(video()).equals(VIDEO)).toBe(true);
    expect(dueEntries()).toBe(3);
    fs.rmSync(storeFolder);
    fs.renameSync(`${storeFolder}-away`, storeFolder);
    expect((await moveIntoStore()).files).toBe(FILES);
  });

  it("don't leave an object behind if the process is killed before recording it", async () => {
    const object = "videos/u/1700000000001.0123456789abcdef.mp4";
    await ownStore();
    await transaction(() => announceObjects([object]));
    fs.mkdirSync(path.join(storeFolder, "videos/u"), { recursive: true });
    fs.writeFileSync(path.join(storeFolder, object), "half");
    await moveIntoStore();
    await removeFiles();
    expect(objects()).toHaveLength(FILES + 1);
    await removeFiles(Date.now() + 2 * DAY_MS);
    expect(objects()).toHaveLength(FILES);
    // From now on, the object can't be recorded.
    const record = { object, bytes: 4, sha256: "", version: "1-1-1", modifiedMs: 1, type: "a/b" };
    expect(await transaction(() => recordStored(NAME, record))).toBe(false);
  });
});

describe("copies on the disk", () => {
  it("are evicted in least-recently-used order until they fit", async () => {
    await moveIntoStore();
    const hours: Record<string, number> = { "v0.mp4": 3, "1700000000000.mp4": 2 };
    for (const name of local()) {
      const { modifiedMs } = storedFile(split(name))!;
      const used = Date.now() / 1000 - (hours[path.basename(name)] ?? 1) * 3600;
      fs.utimesSync(at(name), used, modifiedMs / 1000);
    }
    set({ STORAGE_CACHE_BYTES: "1350000" });
    await evictCopies();
    expect(local()).toHaveLength(FILES - 1);
    expect(local()).not.toContain("videos/u/1700000000000/hls-1/v0.mp4");
  });

  it("aren't evicted while the store doesn't have the object or has an object of a different length", async () => {
    await moveIntoStore();
    fs.truncateSync(objectOf(NAME), 10);
    fs.rmSync(objectOf(THUMBNAIL));
    const logged = console.error;
    const lines: string[] = [];
    console.error = (line: string) => lines.push(line);
    await evictAll();
    console.error = logged;
    expect(local().sort()).toEqual([`thumbnails/${THUMBNAIL.path}`, `videos/${NAME.path}`]);
    expect(lines).toHaveLength(2);
  });

  it("aren't evicted during a job for their video, or while the store doesn't respond", async () => {
    await moveIntoStore();
    const add = sqliteHandle().prepare(
      "INSERT INTO jobs (video_id, kind, priority, state) VALUES ('v', 'cleanup', 0, 'running')",
    );
    add.run();
    expect(await evictAll()).toBe(0);
    sqliteHandle().exec("DELETE FROM jobs");
    fs.renameSync(storeFolder, `${storeFolder}-away`);
    await expect(evictAll()).rejects.toMatchObject({ failure: "away" });
    fs.renameSync(`${storeFolder}-away`, storeFolder);
    expect(local()).toHaveLength(FILES);
  });

  it("don't include files that were never moved, or that were rewritten after they had been moved", async () => {
    await moveIntoStore();
    const written = Buffer.alloc(VIDEO.length, 1);
    fs.writeFileSync(video(), written);
    write("videos/u/1700000000009.mp4", "copied by another tool");
    await evictAll();
    expect(local().sort()).toEqual([`videos/${NAME.path}`, "videos/u/1700000000009.mp4"]);
    expect((await bytesOf()).equals(written)).toBe(true);
  });

  it("are fetched when they are read, and compared with their digest", async () => {
    await moveIntoStore();
    await evictAll();
    expect(fs.readFileSync(await localFile(video())).equals(VIDEO)).toBe(true);
    expect(await readText(fileOf({ ...DERIVED, path: `${DERIVED.path}/hls-1/master.m3u8` }))).toBe(
      PLAYLIST,
    );
    await evictAll();
    fs.writeFileSync(objectOf(NAME), Buffer.alloc(VIDEO.length));
    await expect(localFile(video())).rejects.toMatchObject({ failure: "damaged" });
    expect(fs.existsSync(video())).toBe(false);
    expect(fs.readdirSync(at("tmp"))).toEqual([]);
  });

  it("are not fetched if the disk has no space for them", async () => {
    await moveIntoStore();
    await evictAll();
    set({ ENCODER_FREE_BYTES: String(2 ** 50) });
    await expect(localFile(video())).rejects.toMatchObject({ code: "ENOSPC" });
    // The site proxies the bytes from the store.
    expect((await bytesOf(PLAYLIST_URL)).toString()).toBe(PLAYLIST);
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
    expect(await readText(fileOf({ ...DERIVED, path: `${DERIVED.path}/hls-1/master.m3u8` }))).toBe(
      PLAYLIST,
    );
    expect(local()).toEqual([]);
  });

  it("are evicted when an upload needs space", async () => {
    await moveIntoStore();
    const { modifiedMs } = storedFile(NAME)!;
    fs.utimesSync(video(), new Date(Date.now() - HOUR_MS), modifiedMs / 1000);
    const figures = () => ({ bsize: 1, blocks: 0, bavail: fs.existsSync(video()) ? 0 : 1_000 });
    vi.spyOn(fs.promises, "statfs").mockImplementation(async () => figures() as never);
    // Even if all copies were evicted, there wouldn't be enough space for this upload.
    await expect(requireDiskSpace(2_000_000)).rejects.toMatchObject({ status: 507 });
    expect(fs.existsSync(video())).toBe(true);
    await requireDiskSpace(1_000);
    expect(fs.existsSync(video())).toBe(false);
    await expect(requireDiskSpace(1_001)).rejects.toMatchObject({ status: 507 });
    vi.restoreAllMocks();
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
  });

  it("are fetched again if a power failure has truncated them", async () => {
    await moveIntoStore();
    for (const name of [NAME, DERIVED_PLAYLIST]) {
      const { modifiedMs } = storedFile(name)!;
      fs.truncateSync(fileOf(name), 3);
      fs.utimesSync(fileOf(name), new Date(), modifiedMs / 1000);
    }
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
    expect((await bytesOf(PLAYLIST_URL)).toString()).toBe(PLAYLIST);
    await recordFile({ ...NAME, videoId: "v", kind: "video" });
    expect((await moveIntoStore()).files).toBe(0);
    expect(fs.readFileSync(objectOf(NAME)).equals(VIDEO)).toBe(true);
  });

  it("aren't evicted while the store's folder isn't mounted, and nothing is written there", async () => {
    await moveIntoStore();
    fs.renameSync(storeFolder, `${storeFolder}-mounted`);
    fs.mkdirSync(storeFolder);
    await expect(evictAll()).rejects.toMatchObject({ failure: "away" });
    await recordFile({ ...THUMBNAIL, videoId: "v", kind: "thumbnail" });
    write("thumbnails/u/1700000000000.webp", "a newer image");
    await expect(moveIntoStore()).rejects.toMatchObject({ failure: "away" });
    fs.rmSync(video());
    const logged = console.error;
    console.error = () => {};
    expect((await sendRequest()).status).toBe(503);
    console.error = logged;
    expect(fs.readdirSync(storeFolder)).toEqual([]);
  });

  it("aren't moved while another tool may still be copying them", async () => {
    write("videos/u/1700000000009.mp4", "half of a vi");
    await recordFile({
      bucket: "videos",
      path: "u/1700000000009.mp4",
      videoId: null,
      kind: "video",
    });
    await moveIntoStore();
    expect(isStored({ bucket: "videos", path: "u/1700000000009.mp4" })).toBe(false);
    expect(dueEntries()).toBe(0);
  });

  it("aren't moved while their folder is missing from the disk", async () => {
    fs.renameSync(at("videos/u"), at("videos/v"));
    await moveIntoStore();
    expect(dueEntries()).toBe(2);
    fs.renameSync(at("videos/v"), at("videos/u"));
    await moveIntoStore();
    expect(dueEntries()).toBe(0);
    expect(objects()).toHaveLength(FILES);
  });

  it("are fetched only once for concurrent requests", async () => {
    await moveIntoStore();
    await evictAll();
    await Promise.all(Array.from({ length: 5 }, () => localFile(video())));
    expect(fs.readFileSync(video()).equals(VIDEO)).toBe(true);
    expect(fs.readdirSync(at("tmp"))).toEqual([]);
  });
});

describe("performers' documents", () => {
  const id = "0b6b2b63-4f5c-4bb1-8f39-1d1a1d3d7c10";
  const name = { bucket: "documents", path: id } as const;
  beforeEach(() => {
    write(`documents/${id}`, "encrypted");
    sqliteHandle().exec(`
      INSERT INTO performers (id, stage_names, sort_name, payload, created_at, updated_at)
        VALUES ('p', '', '', '', '', '');
      INSERT INTO performer_documents (id, performer_id, kind, type, bytes, file_key, added_at)
        VALUES ('${id}', 'p', 'identity', 'image/png', 9, '', '')`);
  });

  it("are moved, evicted and fetched like other files", async () => {
    expect((await moveIntoStore()).files).toBe(FILES + 1);
    expect(dueEntries()).toBe(0);
    await evictAll();
    expect(fs.existsSync(at(`documents/${id}`))).toBe(false);
    expect(checkDocuments()).toEqual({ stray: [], missing: [] });
    expect(fs.readFileSync(await localFile(at(`documents/${id}`)), "utf8")).toBe("encrypted");
    expect((await checkStore(Date.now() + 8 * DAY_MS))?.stray).toEqual([]);
  });

  it("are removed from the disk and the store together with their row", async () => {
    await moveIntoStore();
    await transaction(() => {
      sqliteHandle().exec("DELETE FROM performer_documents");
      enqueueDocumentRemovals([id]);
    });
    await removeFiles(Date.now() + 1_000);
    expect([storedFile(name), objects().length]).toEqual([undefined, FILES]);
    expect(fs.readdirSync(at("documents")).filter((each) => each !== ".removing")).toEqual([]);
  });

  it("are kept while their row exists", async () => {
    await moveIntoStore();
    await transaction(() => enqueueDocumentRemovals([id]));
    await removeFiles(Date.now() + 1_000);
    expect([storedFile(name)?.bytes, removals()]).toEqual([9, []]);
  });
});

describe("incomplete uploads to the store", () => {
  it("are removed daily once they are abandoned, even while the site is running", async () => {
    const partial = (name: string, days: number) => {
      const file = path.join(storeFolder, "videos/u", `.partial-${name}`);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, "half");
      const then = new Date(Date.now() - days * 24 * HOUR_MS);
      fs.utimesSync(file, then, then);
    };
    const partials = () => objects().filter((name) => name.includes(".partial-"));
    await tryStore();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      startMovingFiles();
      partial("abandoned", 4);
      partial("in-progress", 2);
      vi.advanceTimersByTime(23 * HOUR_MS);
      expect(partials()).toHaveLength(2);
      vi.advanceTimersByTime(HOUR_MS);
      await expect.poll(partials).toEqual(["videos/u/.partial-in-progress"]);
      partial("abandoned", 4);
      vi.advanceTimersByTime(24 * HOUR_MS);
      await expect.poll(partials).toEqual(["videos/u/.partial-in-progress"]);
    } finally {
      await stopRuntime({ except: ["query threads", "image process"] });
      vi.useRealTimers();
    }
  });
});

describe("a machine that has only a copy of the database", () => {
  it("serves every file, and doesn't report any file as missing", async () => {
    await moveIntoStore();
    loseDisk();
    expect(await identifySite()).toBeUndefined();
    await tryStore();
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
    expect((await bytesOf(PLAYLIST_URL)).toString()).toBe(PLAYLIST);
    expect((await bytesOf("/media/thumbnails/u/1700000000000.webp")).toString()).toBe("an image");
    for await (const missing of missingFiles()) throw new Error(missing.url);
    const report = await checkLibrary();
    expect([report.stray, report.missing, report.entries]).toEqual([[], [], 3]);
    await trackFiles(createSeenFiles());
    expect(sqliteHandle().prepare("SELECT count(*) FROM media_files").pluck().get()).toBe(3);
    expect(await diskUsage(video())).toBe(VIDEO.length);
    expect(fileExists(video())).toBe(true);
    expect(await checkStore(Date.now() + 8 * DAY_MS)).toEqual({
      missing: [],
      recoverable: [],
      stray: [],
      unfinished: [],
    });
  });

  it("keeps every object when it starts and looks for files to remove", async () => {
    await moveIntoStore();
    const before = objects();
    loseDisk();
    await identifySite();
    await checkLibrary();
    await moveIntoStore();
    await removeFiles(Date.now() + 30 * DAY_MS);
    expect(objects()).toEqual(before);
  });
});

describe("a deleted video", () => {
  it("can be served after it is restored, and is removed from the store when it is purged", async () => {
    await moveIntoStore();
    await evictAll();
    await removeVideos(["v"], "u");
    await removeFiles(Date.now() + 30 * DAY_MS);
    expect((await sendRequest()).status).toBe(404);
    await restoreVideos(["v"], "u");
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
    await removeVideos(["v"], "u");
    await purge(["v"]);
    await removeFiles();
    expect([objects(), local(), removals()]).toEqual([[], [], []]);
  });

  it("is removed from the store once the store responds again", async () => {
    await moveIntoStore();
    await removeVideos(["v"], "u");
    await purge(["v"]);
    fs.renameSync(storeFolder, `${storeFolder}-away`);
    fs.writeFileSync(storeFolder, "");
    const logged = console.error;
    console.error = () => {};
    await removeFiles();
    console.error = logged;
    expect(local()).toEqual([]);
    fs.rmSync(storeFolder);
    fs.renameSync(`${storeFolder}-away`, storeFolder);
    await removeFiles();
    expect([objects(), removals()]).toEqual([[], []]);
  });

  it("leaves an object in place if another file's record refers to it", async () => {
    await moveIntoStore();
    const second = { bucket: "videos", path: "u/1700000000002.mp4" } as const;
    sqliteHandle()
      .prepare(
        `INSERT INTO stored_files SELECT bucket, ?, object, bytes, sha256, version, modified_ms, type
         FROM stored_files WHERE path = ?`,
      )
      .run(second.path, NAME.path);
    await removeVideos(["v"], "u");
    await purge(["v"]);
    await removeFiles();
    expect(objects()).toHaveLength(1);
    expect(fs.readFileSync(await localFile(fileOf(second))).equals(VIDEO)).toBe(true);
  });
});

describe("a read replica", () => {
  const READ_ONLY_FROM = "https://writer.example";
  beforeEach(async () => {
    await moveIntoStore();
  });
  afterEach(() => set({ READ_ONLY_FROM: undefined }));

  it("serves files from the store without writing anything to its uploads folder", async () => {
    const reader = path.join(site.folder, "reader");
    set({ READ_ONLY_FROM, UPLOADS_DIR: reader });
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
    expect((await bytesOf(PLAYLIST_URL)).toString()).toBe(PLAYLIST);
    expect((await bytesOf(RENDITION_URL)).equals(RENDITION)).toBe(true);
    expect(fs.existsSync(reader)).toBe(false);
  });

  it("never writes into the folder of its primary", async () => {
    set({ READ_ONLY_FROM });
    fs.writeFileSync(video(), "newer");
    expect((await bytesOf()).toString()).toBe("newer");
    fs.rmSync(fileOf({ ...DERIVED, path: `${DERIVED.path}/hls-1/master.m3u8` }));
    const before = local();
    expect((await bytesOf(PLAYLIST_URL)).toString()).toBe(PLAYLIST);
    expect(local()).toEqual(before);
  });
});

describe("moving files out of the store", () => {
  it("restores every file with its modification time, and empties the store", async () => {
    const modified = fs.statSync(video()).mtimeMs;
    await moveIntoStore();
    await evictAll();
    const seen: number[] = [];
    expect((await moveBack(({ files }) => seen.push(files))).files).toBe(FILES);
    expect(seen).toEqual([1, 2, 3, 4]);
    await removeFiles();
    expect(objects()).toEqual([]);
    expect(fs.readFileSync(video()).equals(VIDEO)).toBe(true);
    expect(Math.abs(fs.statSync(video()).mtimeMs - modified)).toBeLessThan(2);
    expect(isStored(DERIVED)).toBe(false);
    expect(local()).toHaveLength(FILES);
  });

  it("stops files from being moved into the store until moving is enabled again", async () => {
    await moveIntoStore();
    await moveBack(() => {});
    await removeFiles();
    expect((await moveIntoStore()).files).toBe(0);
    await setMovingToDisk(false);
    expect((await moveIntoStore()).files).toBe(FILES);
  });

  it("fetches a damaged copy again", async () => {
    await moveIntoStore();
    const { modifiedMs } = storedFile(NAME)!;
    fs.writeFileSync(video(), Buffer.alloc(VIDEO.length));
    fs.utimesSync(video(), new Date(), modifiedMs / 1000);
    await moveBack(() => {});
    expect(fs.readFileSync(video()).equals(VIDEO)).toBe(true);
  });

  it("keeps a damaged copy whose object is lost", async () => {
    await moveIntoStore();
    const { modifiedMs } = storedFile(NAME)!;
    const damaged = Buffer.from(VIDEO);
    damaged[1_000] = damaged[1_000]! ^ 1;
    fs.writeFileSync(video(), damaged);
    fs.utimesSync(video(), new Date(), modifiedMs / 1000);
    fs.rmSync(objectOf(NAME));
    expect((await moveBack(() => {})).lost).toEqual([`videos/${NAME.path}`]);
    expect(fs.readFileSync(video()).equals(damaged)).toBe(true);
  });

  it("moves everything else if an object is lost, and reports the lost object", async () => {
    await moveIntoStore();
    await evictAll();
    fs.rmSync(objectOf(DERIVED_PLAYLIST));
    fs.writeFileSync(objectOf(THUMBNAIL), "another image");
    const { files, lost } = await moveBack(() => {});
    expect(files).toBe(FILES - 2);
    expect(lost).toEqual([`thumbnails/${THUMBNAIL.path}`, `videos/${DERIVED_PLAYLIST.path}`]);
    expect(fs.readFileSync(video()).equals(VIDEO)).toBe(true);
    set({ STORAGE_URL: undefined });
    expect(requireStoreSetting).toThrow();
  });

  it("keeps files that were rewritten on the disk in the meantime", async () => {
    await moveIntoStore();
    fs.writeFileSync(video(), "newer");
    await moveBack(() => {});
    await removeFiles();
    expect(fs.readFileSync(video(), "utf8")).toBe("newer");
  });

  it("is required before the site can start without the store", async () => {
    await moveIntoStore();
    set({ STORAGE_URL: undefined });
    expect(requireStoreSetting).toThrow(/^STORAGE_URL must be set/);
    set({ STORAGE_URL: `file://${storeFolder}` });
    await moveBack(() => {});
    set({ STORAGE_URL: undefined });
    expect(requireStoreSetting).not.toThrow();
  });
});

describe("another site's store", () => {
  it("prevents startup, and doesn't receive any files", async () => {
    fs.writeFileSync(path.join(storeFolder, "site.json"), '{"id":"other"}');
    await expect(tryStore()).rejects.toMatchObject({ failure: "foreign" });
    await expect(moveIntoStore()).rejects.toMatchObject({ failure: "foreign" });
    expect(objects()).toEqual([]);
  });

  it("is recognized by its objects even without a marker", async () => {
    fs.writeFileSync(path.join(storeFolder, "something"), "");
    await expect(tryStore()).rejects.toMatchObject({ failure: "foreign" });
    expect(fs.readdirSync(storeFolder)).toEqual(["something"]);
  });

  it("is suspected if the store is empty even though this site's files have been moved into a store", async () => {
    await moveIntoStore();
    const other = path.join(site.folder, "other");
    fs.mkdirSync(other);
    set({ STORAGE_URL: `file://${other}` });
    await expect(tryStore()).rejects.toMatchObject({ failure: "foreign" });
    expect(fs.readdirSync(other)).toEqual([]);
  });

  it("isn't suspected if only the marker was lost", async () => {
    await moveIntoStore();
    const other = path.join(site.folder, "moved");
    fs.rmSync(path.join(storeFolder, "site.json"));
    fs.renameSync(storeFolder, other);
    set({ STORAGE_URL: `file://${other}` });
    await tryStore();
    expect(fs.existsSync(path.join(other, "site.json"))).toBe(true);
  });
});

describe("an older database, from before a file was moved and evicted", () => {
  beforeEach(async () => {
    await moveIntoStore();
    await evictAll();
    sqliteHandle().exec("DELETE FROM stored_files");
    sqliteHandle().prepare("UPDATE videos SET hls_url = ?").run(PLAYLIST_URL);
  });

  it("keeps the objects that its rows need, and restores the files", async () => {
    const before = objects();
    await transaction(() => announceObjects(before));
    await removeFiles(Date.now() + 30 * DAY_MS);
    const report = (await checkStore(Date.now() + 30 * DAY_MS))!;
    expect(report.recoverable.sort()).toEqual(before);
    expect(report.stray).toEqual([]);
    await recoverFiles(report);
    expect(local()).toHaveLength(FILES);
    expect((await bytesOf()).equals(VIDEO)).toBe(true);
    expect((await checkStore())?.recoverable).toEqual([]);
  });
});

describe("an object without a record", () => {
  const stray = "videos/u/1700000000003.0123456789abcdef.mp4";
  beforeEach(async () => {
    await moveIntoStore();
    fs.writeFileSync(path.join(storeFolder, stray), "stray");
  });

  it("is reported after a week, and removed 30 days after a check with --fix", async () => {
    expect((await checkStore())?.stray).toEqual([]);
    const report = (await checkStore(Date.now() + 8 * DAY_MS))!;
    expect(report.stray).toEqual([{ key: stray, bytes: 5 }]);
    expect(await quarantineObjects(report)).toEqual(report.stray);
    expect((await checkStore(Date.now() + 8 * DAY_MS))?.stray).toEqual([]);
    await removeFiles(Date.now() + 29 * DAY_MS);
    expect(objects()).toContain(stray);
    await removeFiles(Date.now() + 31 * DAY_MS);
    expect(objects()).toHaveLength(FILES);
  });

  it("is kept if a record refers to it before it would be removed", async () => {
    const report = (await checkStore(Date.now() + 8 * DAY_MS))!;
    await quarantineObjects(report);
    sqliteHandle()
      .prepare("UPDATE stored_files SET object = ? WHERE path = ?")
      .run(stray, NAME.path);
    await removeFiles(Date.now() + 31 * DAY_MS);
    expect(objects()).toContain(stray);
  });
});

describe("a file that is only in the store and doesn't belong to a video", () => {
  it("is quarantined in the store for 30 days", async () => {
    write("videos/u/1700000000004.mp4", "of nobody");
    const name = { bucket: "videos", path: "u/1700000000004.mp4" } as const;
    await recordFile({ ...name, videoId: "gone", kind: "video" });
    await moveIntoStore();
    await evictAll();
    const { stray } = await checkLibrary();
    expect(stray.map(({ path: each }) => each)).toEqual([name.path]);
    expect(await quarantineStray(stray)).toEqual([]);
    expect(await quarantineStray(stray, Date.now() + 8 * DAY_MS)).toHaveLength(1);
    expect((await checkLibrary()).stray).toEqual([]);
    await removeFiles(Date.now() + 30 * DAY_MS);
    expect(objects()).toHaveLength(FILES + 1);
    await removeFiles(Date.now() + 60 * DAY_MS);
    expect(objects()).toHaveLength(FILES);
  });
});

function split(name: string): MediaName {
  const [bucket = "", ...rest] = name.split("/");
  return { bucket, path: rest.join("/") } as MediaName;
}
