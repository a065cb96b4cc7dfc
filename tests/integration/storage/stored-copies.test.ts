import fs from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { pack } from "tar-stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forgetFiles, recordFile } from "~/media/media-files.server";
import { identifySite } from "~/media/removal-guard.server";
import { knownCopies } from "~/media/storage/copies.server";
import { packFiles, unpackFiles } from "~/media/storage/copy-archive.server";
import { restoreFiles } from "~/media/storage/fetch-copies.server";
import { openFetchedFiles } from "~/media/storage/fetched-files.server";
import { moveBack } from "~/media/storage/move-back.server";
import { dueEntries } from "~/media/storage/move-files.server";
import { finishStoreRemovals } from "~/media/storage/remove.server";
import { moveOnce } from "~/media/storage/start.server";
import { forgetSettings } from "~/server/settings.server";
import { checkStore } from "~/studio/library/check-store.server";
import { correctStorage } from "~/studio/library/integrity.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

const FILM = Buffer.alloc(200_000, 7);
const VIDEO = { bucket: "videos", path: "u/1700000000000.mp4", kind: "video" } as const;
const DERIVED = { bucket: "videos", path: "u/1700000000000", kind: "derived" } as const;
const THUMBNAIL = {
  bucket: "thumbnails",
  path: "u/1700000000000.webp",
  kind: "thumbnail",
} as const;
const ENTRIES = [THUMBNAIL, DERIVED, VIDEO];
const PLAYLIST = "videos/u/1700000000000/hls-1/master.m3u8";

let site: ReturnType<typeof useTemporarySite>;
let storeFolder: string;

beforeEach(async () => {
  site = useTemporarySite();
  storeFolder = path.join(site.folder, "store");
  fs.mkdirSync(storeFolder);
  set({ STORAGE_URL: `file://${storeFolder}` });
  write("videos/u/1700000000000.mp4", FILM);
  write("videos/u/1700000000000/hls-1/v0.mp4", FILM);
  write(PLAYLIST, "#EXTM3U\n");
  write("thumbnails/u/1700000000000.webp", "a picture");
  for (const entry of ENTRIES) await recordFile({ ...entry, videoId: "v" });
});
afterEach(() => site.remove());

function set(settings: Record<string, string>) {
  Object.assign(process.env, settings);
  forgetSettings();
}

function write(name: string, content: Buffer | string) {
  const file = path.join(site.uploads, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

function addVideo(id = "v") {
  sqliteHandle()
    .prepare("INSERT INTO videos (id, title, category) VALUES (?, 'A', 'desi')")
    .run(id);
}

/** Of what is in the buckets of a machine: each file with its content. */
async function contents(folder = site.uploads): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const bucket of ["thumbnails", "videos"]) {
    const all = await readdir(path.join(folder, bucket), { recursive: true, withFileTypes: true });
    for (const each of all.filter((each) => each.isFile())) {
      const file = path.join(each.parentPath, each.name);
      files[path.relative(folder, file)] = fs.readFileSync(file, "utf8");
    }
  }
  return files;
}

async function copies(): Promise<string[]> {
  const all = await readdir(storeFolder, { recursive: true });
  return all.filter((name) => name.endsWith(".tar")).sort();
}

const keys = () =>
  knownCopies()
    .map(({ key }) => key)
    .sort();

/** The database as Litestream would restore it, and a machine that has nothing else. */
function newMachine() {
  const database = path.join(site.folder, "copy.sqlite");
  fs.rmSync(database, { force: true });
  sqliteHandle().prepare("VACUUM INTO ?").run(database);
  return database;
}

describe("what stays on the disk of a site with a store", () => {
  it("has a copy in the store, one for each file or folder that is recorded", async () => {
    await moveOnce();
    expect(await copies()).toEqual(keys());
    expect(keys().map((key) => key.replace(/\.[\da-f]{16}\./, ".*."))).toEqual([
      "copies/thumbnails/u/1700000000000.webp.*.tar",
      "copies/videos/u/1700000000000.*.tar",
      "copies/videos/u/1700000000000.mp4.*.tar",
    ]);
    expect(dueEntries()).toBe(0);
  });

  it("is copied again when it was written, and only then", async () => {
    await moveOnce();
    const before = keys();
    for (const entry of ENTRIES) await recordFile({ ...entry, videoId: "v" });
    await moveOnce();
    expect(keys()).toEqual(before);
    write(PLAYLIST, "#EXTM3U\n#EXT-X-VERSION:7\n");
    await recordFile({ ...DERIVED, videoId: "v" });
    await moveOnce();
    const after = keys();
    expect(after.filter((key) => !before.includes(key))).toHaveLength(1);
    await finishStoreRemovals();
    expect(await copies()).toEqual(after);
  });

  it("leaves the store when it leaves the buckets", async () => {
    await moveOnce();
    await forgetFiles([DERIVED]);
    await moveOnce();
    expect(keys()).toHaveLength(2);
    expect(await copies()).toEqual(keys());
    await moveBack(() => {});
    await finishStoreRemovals();
    expect(await copies()).toEqual([]);
  });

  it("keeps its copy when it comes back before that was removed", async () => {
    await moveOnce();
    const before = keys();
    await forgetFiles([DERIVED]);
    await recordFile({ ...DERIVED, videoId: "v" });
    const { moveDueFiles } = await import("~/media/storage/move-files.server");
    await moveDueFiles();
    await moveOnce();
    expect(keys()).toEqual(before);
    expect(await copies()).toEqual(before);
  });

  it("is moved into the store again after it was brought back", async () => {
    await moveOnce();
    await moveBack(() => {});
    expect(fs.readFileSync(path.join(site.uploads, "videos", VIDEO.path)).equals(FILM)).toBe(true);
    await moveOnce();
    expect(fs.statSync(path.join(site.uploads, "videos", VIDEO.path)).size).toBeLessThan(2_048);
    expect(await copies()).toEqual(keys());
  });

  it("has another copy made where the store has lost one", async () => {
    await moveOnce();
    fs.rmSync(path.join(storeFolder, keys()[0]!));
    expect((await checkStore())?.lostCopies).toEqual([
      { bucket: THUMBNAIL.bucket, path: THUMBNAIL.path },
    ]);
    expect((await checkStore())?.lostCopies).toEqual([]);
    await moveOnce();
    expect(await copies()).toEqual(keys());
    expect(keys()).toHaveLength(3);
  });

  it("is not entered when the entry was written meanwhile, and nothing is left of it", async () => {
    await moveOnce();
    write(PLAYLIST, "#EXTM3U\n#1\n");
    await recordFile({ ...DERIVED, videoId: "v" });
    const put = fs.watch(path.join(storeFolder, "copies/videos/u"));
    put.once("change", () => {
      sqliteHandle().exec("UPDATE media_files SET stored = 0");
    });
    await moveOnce();
    put.close();
    await moveOnce();
    await finishStoreRemovals();
    expect(dueEntries()).toBe(0);
    expect(await copies()).toEqual(keys());
  });
});

describe("a disk that was lost", () => {
  it("has every file again, as it was", async () => {
    await moveOnce();
    const before = await contents();
    for (const bucket of ["videos", "thumbnails"]) {
      fs.rmSync(path.join(site.uploads, bucket), { recursive: true });
    }
    expect(await restoreFiles()).toEqual({ fetched: 3, lost: [] });
    expect(await contents()).toEqual(before);
    expect(await restoreFiles()).toEqual({ fetched: 0, lost: [] });
  });

  it("keeps its copies in the store when the site starts without it", async () => {
    addVideo();
    await moveOnce();
    const before = await contents();
    const stored = await copies();
    for (const bucket of ["videos", "thumbnails"]) {
      fs.rmSync(path.join(site.uploads, bucket), { recursive: true });
    }
    expect(await identifySite()).toBe("missing-files");
    await correctStorage();
    await moveOnce();
    expect(await copies()).toEqual(stored);
    expect(await restoreFiles()).toEqual({ fetched: 3, lost: [] });
    expect(await contents()).toEqual(before);
    expect(await identifySite()).toBeUndefined();
  });

  it("keeps the copy of a single file that is missing", async () => {
    addVideo();
    for (let n = 0; n < 3; n++) {
      addVideo(`other ${n}`);
      write(`videos/u/${n}.mp4`, "small");
      await recordFile({
        bucket: "videos",
        path: `u/${n}.mp4`,
        kind: "video",
        videoId: `other ${n}`,
      });
    }
    await moveOnce();
    const stored = await copies();
    fs.rmSync(path.join(site.uploads, "thumbnails", THUMBNAIL.path));
    await correctStorage();
    await moveOnce();
    expect(await copies()).toEqual(stored);
    expect(await restoreFiles()).toEqual({ fetched: 1, lost: [] });
  });

  it("is told what the store does not have, and has the rest", async () => {
    await moveOnce();
    for (const bucket of ["videos", "thumbnails"]) {
      fs.rmSync(path.join(site.uploads, bucket), { recursive: true });
    }
    const [thumbnail, folder] = keys();
    fs.rmSync(path.join(storeFolder, thumbnail!));
    fs.writeFileSync(path.join(storeFolder, folder!), "other bytes");
    const { fetched, lost } = await restoreFiles();
    expect(fetched).toBe(1);
    expect(lost.map((each) => each.path).sort()).toEqual([DERIVED.path, THUMBNAIL.path]);
    expect(await readdir(path.join(site.uploads, "tmp"))).toEqual([]);
  });
});

describe("a reader with files of its own", () => {
  let reader: string;
  beforeEach(async () => {
    await moveOnce();
    reader = path.join(site.folder, "reader");
  });

  async function refresh() {
    const database = newMachine();
    set({ UPLOADS_DIR: reader });
    const files = openFetchedFiles();
    try {
      const result = await files.fetchNew(database, Number.POSITIVE_INFINITY);
      await files.removeGone(database);
      return result;
    } finally {
      files.close();
      set({ UPLOADS_DIR: site.uploads });
    }
  }

  it("has what the site that writes has, and fetches only what is new", async () => {
    expect(await refresh()).toEqual({ fetched: 3, isLeft: false });
    expect(await contents(reader)).toEqual(await contents());
    expect(await refresh()).toEqual({ fetched: 0, isLeft: false });
    fs.rmSync(path.join(site.uploads, PLAYLIST));
    write("videos/u/1700000000000/hls-2/master.m3u8", "#EXTM3U\n#2\n");
    await recordFile({ ...DERIVED, videoId: "v" });
    await moveOnce();
    expect(await refresh()).toEqual({ fetched: 1, isLeft: false });
    expect(await contents(reader)).toEqual(await contents());
  });

  it("loses what was deleted, with what it has made of it for small screens", async () => {
    await refresh();
    const small = path.join(reader, "thumbnails/u/1700000000000/480.webp.webp");
    fs.mkdirSync(path.dirname(small), { recursive: true });
    fs.writeFileSync(small, "small");
    await forgetFiles([THUMBNAIL, DERIVED, VIDEO]);
    expect(await refresh()).toEqual({ fetched: 0, isLeft: false });
    expect(await contents(reader)).toEqual({});
  });

  it("goes on where it was cut off, and says that something is left", async () => {
    const database = newMachine();
    set({ UPLOADS_DIR: reader });
    const files = openFetchedFiles();
    expect(await files.fetchNew(database, 0)).toEqual({ fetched: 0, isLeft: true });
    files.close();
    set({ UPLOADS_DIR: site.uploads });
    expect(await refresh()).toEqual({ fetched: 3, isLeft: false });
  });

  it("does without a copy that was replaced since, and fails while the store is away", async () => {
    const [thumbnail] = keys();
    fs.rmSync(path.join(storeFolder, thumbnail!));
    expect(await refresh()).toEqual({ fetched: 2, isLeft: false });
    fs.renameSync(storeFolder, `${storeFolder}-away`);
    fs.writeFileSync(storeFolder, "");
    await expect(refresh()).rejects.toThrow();
  });

  it("never takes the folder of the site that writes", () => {
    expect(openFetchedFiles).toThrow(/has files already/);
  });
});

describe("an archive of copies", () => {
  const entry = { bucket: "videos", path: "u/1700000000000" } as const;
  const unpacked = () => path.join(site.folder, "unpacked");

  it("is the same for the same files, and keeps their times", async () => {
    const file = path.join(site.uploads, PLAYLIST);
    fs.utimesSync(file, 1_700_000_000, 1_700_000_000);
    const files = [{ file, path: "u/1700000000000/hls-1/master.m3u8" }];
    const [one, two] = ["one.tar", "two.tar"].map((name) => path.join(site.folder, name));
    expect(await packFiles(files, one!)).toBe(await packFiles(files, two!));
    expect(await unpackFiles(one!, entry, unpacked())).toEqual([files[0]!.path]);
    expect(fs.statSync(path.join(unpacked(), files[0]!.path)).mtimeMs).toBe(1_700_000_000_000);
    expect(await packFiles([], path.join(site.folder, "none.tar"))).toBeUndefined();
  });

  it.each([
    ["leads out of the bucket", { name: "u/1700000000000/../../../etc/passwd" }],
    ["is of another entry", { name: "u/1700000000001/master.m3u8" }],
    ["is absolute", { name: "/etc/passwd" }],
    ["is a link", { name: "u/1700000000000/a", type: "symlink", linkname: "/etc" } as const],
  ])("is refused where a file %s", async (_, header) => {
    const tar = pack();
    tar.entry(header, "");
    tar.finalize();
    const archive = path.join(site.folder, "hostile.tar");
    const chunks: Buffer[] = [];
    for await (const chunk of tar) chunks.push(chunk as Buffer);
    fs.writeFileSync(archive, Buffer.concat(chunks));
    await expect(unpackFiles(archive, entry, unpacked())).rejects.toThrow(/does not belong/);
    expect(fs.existsSync(unpacked())).toBe(false);
  });

  it("is refused where it is cut off", async () => {
    const file = path.join(site.uploads, PLAYLIST);
    const archive = path.join(site.folder, "cut.tar");
    await packFiles([{ file, path: "u/1700000000000/hls-1/master.m3u8" }], archive);
    fs.truncateSync(archive, 514);
    await expect(unpackFiles(archive, entry, unpacked())).rejects.toThrow();
  });
});
