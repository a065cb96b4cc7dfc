import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkLibrary } from "~/features/operations/library-check/check-library.server";
import type { MediaName } from "~/media/bucket.server";
import { announceFiles, removeFiles, withdrawAnnouncement } from "~/media/files/removals.server";
import { cleanUpTemporaryFiles } from "~/media/intake/cleanup.server";
import { moveIntoBucket, moveThumbnailIntoBucket } from "~/media/intake/move-into-bucket.server";
import { sqliteHandle } from "~db/client.server";
import { filesBelow } from "../../encode-library";
import { useTemporarySite } from "../../temporary-site";

const DAY_MS = 86_400_000;
const later = () => Date.now() + DAY_MS + 60_000;

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

function received(name: string): string {
  const file = path.join(site.uploads, "tmp", name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, name);
  return file;
}

/** Moves an upload's files into the buckets, without writing its row. */
const move = () =>
  moveIntoBucket("u", { file: received("video"), extension: "mp4" }, received("thumbnail"));

const addRow = (columns: Record<string, string>) => {
  const row = { title: "A", category: "desi", ...columns };
  const names = Object.keys(row);
  sqliteHandle()
    .prepare(
      `INSERT INTO videos (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")})`,
    )
    .run(row);
};
const inBuckets = () => filesBelow(site.uploads).filter((name) => !name.startsWith("tmp/"));
const folders = () => fs.readdirSync(path.join(site.uploads, "videos", "u"));
const announced = () => sqliteHandle().prepare("SELECT count(*) FROM removals").pluck().get();

describe("files that were moved for an upload", () => {
  it("are removed after a day if the process was killed before it wrote the row", async () => {
    const { videoPath, thumbnailPath } = await move();
    await cleanUpTemporaryFiles();
    await removeFiles();
    expect(inBuckets().sort()).toEqual([`thumbnails/${thumbnailPath}`, `videos/${videoPath}`]);
    // In the meantime, nothing else treats the files as unused.
    expect((await checkLibrary()).stray).toEqual([]);
    await removeFiles(later());
    expect(inBuckets()).toEqual([]);
    expect(folders()).toEqual([]);
    // The received files still exist, so that publishing can be retried.
    expect(fs.readdirSync(path.join(site.uploads, "tmp")).sort()).toEqual(
      expect.arrayContaining(["thumbnail", "video"]),
    );
    expect(announced()).toBe(0);
  });

  it("stay if the process was killed after it wrote the row", async () => {
    const { videoPath, thumbnailPath } = await move();
    addRow({
      video_url: `/media/videos/${videoPath}`,
      thumbnail_url: `/media/thumbnails/${thumbnailPath}`,
    });
    await removeFiles(later());
    expect(inBuckets()).toHaveLength(2);
    expect(announced()).toBe(0);
  });

  it("stay after a commit, and are removed immediately after a rollback", async () => {
    const committed = await move();
    await committed.commit();
    expect(announced()).toBe(0);
    const rolledBack = await move();
    await rolledBack.rollBack();
    await removeFiles();
    expect(inBuckets().sort()).toEqual([
      `thumbnails/${committed.thumbnailPath}`,
      `videos/${committed.videoPath}`,
    ]);
    expect(folders()).toEqual([path.basename(committed.videoPath)]);
    expect(announced()).toBe(0);
  });

  it("are removed even if they are copies, because the file system doesn't support hard links", async () => {
    const { videoPath } = await move();
    const copy = path.join(site.uploads, "videos", videoPath);
    fs.utimesSync(copy, new Date(), new Date(Date.now() + 60_000));
    await removeFiles(later());
    expect(inBuckets()).toEqual([]);
  });
});

describe("a thumbnail that was stored for an edit", () => {
  const add = () => moveThumbnailIntoBucket("u", received("thumbnail"));

  it("is removed after a day if the process was killed before it wrote the row", async () => {
    const name = await add();
    await removeFiles();
    expect(inBuckets()).toEqual([`thumbnails/${name}`]);
    await removeFiles(later());
    expect(inBuckets()).toEqual([]);
  });

  it("stays while a video uses it, even in the trash", async () => {
    const [shown, deleted] = [await add(), await add()];
    addRow({ thumbnail_url: `/media/thumbnails/${shown}` });
    sqliteHandle()
      .prepare("INSERT INTO deleted_videos (id, title, row, deleted_at) VALUES ('w', 'w', ?, '')")
      .run(JSON.stringify({ thumbnail_url: `/media/thumbnails/${deleted}` }));
    await removeFiles(later());
    expect(inBuckets()).toHaveLength(2);
  });
});

describe("an announced file", () => {
  const FILE: MediaName = { bucket: "videos", path: "u/1.mp4" };

  it("is forgotten if it was never created", async () => {
    await announceFiles([FILE]);
    await removeFiles(later());
    expect(announced()).toBe(0);
  });

  it("isn't removed if its announcement was withdrawn", async () => {
    fs.mkdirSync(path.join(site.uploads, "videos/u"), { recursive: true });
    fs.writeFileSync(path.join(site.uploads, "videos/u/1.mp4"), "video");
    await announceFiles([FILE]);
    await withdrawAnnouncement([FILE]);
    await removeFiles(later());
    expect(inBuckets()).toEqual(["videos/u/1.mp4"]);
  });
});
