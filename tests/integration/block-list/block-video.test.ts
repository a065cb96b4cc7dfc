import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  blockVideo,
  isBlockedFile,
  unblockVideo,
} from "~/features/processing/comparison/blocked-videos.server";
import { hashBlockedVideos } from "~/features/processing/comparison/hash-videos.server";
import { removeVideos } from "~/features/trash/remove.server";
import { purge } from "~/features/trash/trash.server";
import { removeFiles } from "~/media/files/removals.server";
import { recordFile } from "~/media/media-files.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { moveIntoStore } from "~/media/storage/move-into-store.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { useAdminSite } from "../../admin-requests";
import { addToLibrary } from "../../encode-library";
import { filesBelow } from "../../files-below";
import { makeClip } from "../../media-clips";

const site = useAdminSite();
const SHA = "a".repeat(64);

const video = (seed: number, seconds = 6) =>
  makeClip(site.folder, `video-${seed}`, {
    videoSource: `color=gray:size=16x12:rate=1:duration=${seconds},noise=alls=100:allf=t:all_seed=${seed},scale=160:120:flags=bicubic,fps=10`,
    audio: false,
  });
const digest = (id: string, sha256 = SHA) =>
  sqliteHandle().prepare("INSERT INTO video_digests VALUES (?, ?)").run(id, sha256);
const blocked = () =>
  sqliteHandle().prepare("SELECT *, length(frames) AS bytes FROM blocked_videos").all() as {
    id: number;
    video_id: string;
    reason: string;
    state: string;
    bytes: number;
    step: number;
  }[];
const files = () => filesBelow(path.join(site.uploads, "videos"));

describe.runIf(ffmpegAvailable())("a blocked video", () => {
  it("is recognized by its original, its playable version, and its frames", async () => {
    const id = await addToLibrary(site.uploads, video(1), true);
    digest(id);
    const before = await transaction(() => blockVideo(id, "consent"));
    expect(before?.known).toBe("frames");
    expect(blocked()).toMatchObject([
      { video_id: id, reason: "consent", state: "waiting", bytes: 0 },
    ]);
    await hashBlockedVideos();
    expect(blocked()).toMatchObject([{ state: "ready", step: 0.5, bytes: 12 * 24 }]);
    expect(isBlockedFile(SHA)).toBe(true);
    const digests = sqliteHandle().prepare("SELECT sha256 FROM blocked_files").all();
    expect(digests).toHaveLength(2);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  }, 60_000);

  it("is hashed even if the video is purged before its frames are extracted", async () => {
    const id = await addToLibrary(site.uploads, video(2), true);
    await transaction(() => blockVideo(id, "under-age"));
    await removeVideos([id], "u");
    await purge([id]);
    await removeFiles();
    expect(files()).toHaveLength(1);
    await hashBlockedVideos();
    expect(blocked()).toMatchObject([{ state: "ready", bytes: 12 * 24 }]);
    await removeFiles();
    expect(files()).toEqual([]);
  }, 60_000);

  it("gets three hashing attempts, a minute apart, if its frames can't be extracted", async () => {
    const id = await addToLibrary(site.uploads, video(3), true);
    await transaction(() => blockVideo(id, "other"));
    fs.rmSync(path.join(site.uploads, "videos"), { recursive: true });
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    for (const state of ["waiting", "waiting", "none"]) {
      await hashBlockedVideos();
      expect(blocked()).toMatchObject([{ state }]);
    }
    expect(logged).toHaveBeenCalledTimes(3);
    logged.mockRestore();
  }, 60_000);

  it("doesn't use up an attempt while the store isn't responding", async () => {
    const store = path.join(site.folder, "store");
    fs.mkdirSync(store);
    process.env.STORAGE_URL = `file://${store}`;
    forgetSettings();
    const id = await addToLibrary(site.uploads, video(4), true);
    sqliteHandle().exec("DELETE FROM jobs");
    const [name = ""] = files();
    await recordFile({ bucket: "videos", path: name, videoId: id, kind: "video" });
    await moveIntoStore();
    await transaction(() => blockVideo(id, "other"));
    fs.rmSync(path.join(site.uploads, "videos"), { recursive: true });
    fs.renameSync(store, `${store}-away`);
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    for (let attempt = 0; attempt < 4; attempt++) await hashBlockedVideos();
    logged.mockRestore();
    expect(blocked()).toMatchObject([{ state: "waiting", attempts: 0 }]);
    fs.renameSync(`${store}-away`, store);
    await hashBlockedVideos();
    expect(blocked()).toMatchObject([{ state: "ready" }]);
  }, 60_000);

  it("is recognized only by its digest if its file isn't a video", async () => {
    const file = path.join(site.folder, "broken.mp4");
    fs.writeFileSync(file, "no video");
    const id = await addToLibrary(site.uploads, file, true);
    digest(id);
    await transaction(() => blockVideo(id, "other"));
    await hashBlockedVideos();
    expect(blocked()).toMatchObject([{ state: "none", bytes: 0 }]);
    expect(isBlockedFile(SHA)).toBe(true);
  }, 60_000);
});

describe("the block list", () => {
  it("isn't changed by a decision that is rolled back or by one about a video that doesn't exist", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    digest("v");
    const decided = transaction(() => {
      expect(blockVideo("nobody", "other")).toBeUndefined();
      expect(blockVideo("v", "other")?.known).toBe("bytes");
      throw new Error("another moderator was faster");
    });
    await expect(decided).rejects.toThrow("faster");
    expect(blocked()).toEqual([]);
  });

  it("contains a video only once even if it is blocked twice, and no longer contains it once it is unblocked", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    digest("v");
    await transaction(() => blockVideo("v", "other"));
    await transaction(() => blockVideo("v", "copyright"));
    expect(blocked()).toMatchObject([{ reason: "copyright" }]);
    expect(isBlockedFile(SHA)).toBe(true);
    expect(await transaction(() => unblockVideo("v"))).toBe(true);
    expect(await transaction(() => unblockVideo("v"))).toBe(false);
    expect(isBlockedFile(SHA)).toBe(false);
  });

  it("uses a video's frames from an earlier comparison if its file is missing", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    sqliteHandle()
      .prepare("INSERT INTO video_frames VALUES ('v', 0.5, 1, ?)")
      .run(Buffer.alloc(32, 7));
    expect(await transaction(() => blockVideo("v", "other"))).toMatchObject({ known: "few" });
    expect(blocked()).toMatchObject([{ state: "few", step: 1, bytes: 2 * 24 }]);
  });
});
