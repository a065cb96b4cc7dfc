import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanUpTemporaryFiles } from "~/media/intake/cleanup.server";
import { notePicture, undoInterruptedMoves } from "~/media/intake/interrupted-moves.server";
import { moveIntoBucket } from "~/media/intake/move-into-bucket.server";
import { recordFile } from "~/media/media-files.server";
import { sqliteHandle } from "~db/client.server";
import { filesBelow } from "../../encode-library";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

/** An upload whose files are moved and whose row is not written. */
function move() {
  const [video, thumbnail] = ["video", "thumbnail"].map((name) => {
    const file = path.join(site.uploads, "tmp", name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, name);
    return file;
  }) as [string, string];
  return moveIntoBucket("u", { file: video, ending: "mp4" }, thumbnail);
}

const inBuckets = () => filesBelow(site.uploads).filter((name) => !name.startsWith("tmp/"));
const folders = () => fs.readdirSync(path.join(site.uploads, "videos", "u"));

describe("files that were moved for an upload", () => {
  it("are removed at the next start when the process was killed before their row", async () => {
    const { videoPath, thumbnailPath } = await move();
    expect(inBuckets().sort()).toEqual([`thumbnails/${thumbnailPath}`, `videos/${videoPath}`]);
    await cleanUpTemporaryFiles();
    expect(await undoInterruptedMoves()).toEqual([
      `videos/${videoPath}`,
      `thumbnails/${thumbnailPath}`,
    ]);
    expect(inBuckets()).toEqual([]);
    expect(folders()).toEqual([]);
    // What was received is there to be sent again.
    expect(fs.readdirSync(path.join(site.uploads, "tmp")).sort()).toEqual(
      expect.arrayContaining(["thumbnail", "video"]),
    );
    expect(await undoInterruptedMoves()).toEqual([]);
  });

  it("stay when it was killed after their row", async () => {
    const { videoPath, thumbnailPath } = await move();
    await recordFile({ bucket: "videos", path: videoPath, videoId: "v", kind: "video", bytes: 5 });
    const thumbnail = { bucket: "thumbnails", path: thumbnailPath!, videoId: "v" } as const;
    await recordFile({ ...thumbnail, kind: "thumbnail", bytes: 9 });
    expect(await undoInterruptedMoves()).toEqual([]);
    expect(inBuckets()).toHaveLength(2);
    expect(folders()).toEqual([path.basename(videoPath)]);
  });

  it("are nobody's business once they are committed, or rolled back", async () => {
    await (await move()).commit();
    await (await move()).rollBack();
    expect(await undoInterruptedMoves()).toEqual([]);
    expect(inBuckets()).toHaveLength(2);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).not.toContainEqual(
      expect.stringContaining("moving"),
    );
  });
});

describe("a thumbnail that was stored for an edit", () => {
  const thumbnails = path.join("thumbnails", "u");
  /** With a smaller version, as when it has been shown. */
  function put(name: string): string {
    const { name: uploadId, ext } = path.parse(name);
    for (const each of [name, `${uploadId}/480${ext}.webp`]) {
      const file = path.join(site.uploads, thumbnails, each);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, each);
    }
    notePicture(`u/${name}`);
    return `/media/thumbnails/u/${name}`;
  }
  const shows = (url: string) =>
    sqliteHandle()
      .prepare(
        "INSERT INTO videos (id, title, category, thumbnail_url) VALUES ('v', 'v', 'desi', ?)",
      )
      .run(url);
  const left = () => fs.readdirSync(path.join(site.uploads, thumbnails)).sort();
  const notes = () =>
    fs.readdirSync(path.join(site.uploads, "tmp")).filter((name) => name.startsWith("picture"));

  it("is removed at the next start when the process was killed before its row", async () => {
    shows(put("1.webp"));
    put("2.webp");
    await cleanUpTemporaryFiles();
    expect(await undoInterruptedMoves()).toEqual(["thumbnails/u/2.webp"]);
    expect([left(), notes()]).toEqual([["1", "1.webp"], []]);
  });

  it("stays when it was killed after its row, and the one before it goes", async () => {
    put("1.jpg");
    shows(put("2.webp"));
    expect(await undoInterruptedMoves()).toEqual(["thumbnails/u/1.jpg"]);
    expect(left()).toEqual(["2", "2.webp"]);
  });

  it("stays while another video shows it, or one in the trash", async () => {
    shows(put("1.webp"));
    put("2.webp");
    sqliteHandle()
      .prepare("INSERT INTO deleted_videos (id, title, row, deleted_at) VALUES ('w', 'w', ?, '')")
      .run(JSON.stringify({ thumbnail_url: "/media/thumbnails/u/2.webp" }));
    expect(await undoInterruptedMoves()).toEqual([]);
    expect(left()).toEqual(["1", "1.webp", "2", "2.webp"]);
  });

  it("is left alone under a name that the site does not give", async () => {
    notePicture("u/../../secret.webp");
    notePicture("u/a picture.jpg");
    expect(notes()).toEqual([]);
  });
});
