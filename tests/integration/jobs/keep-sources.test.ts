import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listDeletions } from "~/features/library/trash/recent-deletions.server";
import {
  checkLibrary,
  quarantineStray,
} from "~/features/operations/library-check/check-library.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreDeletion } from "~/features/trash/restore.server";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { loader as media } from "~/features/watch/routes/media";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import {
  addProcessed,
  addToLibrary,
  diskPath,
  filesBelow,
  jobStates,
  onlyJobs,
  videoRow,
  workUntilIdle,
} from "../../encode-library";
import { ffmpeg, makeClip } from "../../media-clips";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
const begin = (keep: string) => {
  site = useTemporarySite({ KEEP_SOURCES: keep });
};
beforeEach(() => begin("until-converted"));
afterEach(() => site.remove());

const avi = (size = "320x180", seconds = 2) =>
  makeClip(site.folder, "video", {
    ...{ extension: "avi", size, seconds },
    ...{ video: ["mpeg4"], audio: ["libmp3lame"] },
  });
const exists = (url: string | null) => fs.existsSync(diskPath(site.uploads, url));
/** Adds a video with only the jobs that depend on its source. */
async function add(clip: string): Promise<{ id: string; source: string }> {
  const id = await addToLibrary(site.uploads, clip, false);
  onlyJobs("transcode", "captions", "ladder");
  return { id, source: videoRow(id).source_url! };
}
/** Adds a fully processed video that still has its source. */
function addConverted(): { id: string; source: string } {
  const id = addProcessed(site.uploads, "converted");
  return { id, source: videoRow(id).source_url! };
}
/** Runs the cleanup jobs as if six hours had passed. */
async function cleanUp(): Promise<void> {
  sqliteHandle().exec(
    "UPDATE jobs SET state = 'waiting', run_after = '2000' WHERE kind = 'cleanup'",
  );
  await workUntilIdle();
}
async function finish(): Promise<void> {
  await workUntilIdle();
  await cleanUp();
}
const stray = async () => (await checkLibrary()).stray.map(({ path: name }) => name);

describe.runIf(ffmpegAvailable())("an original file", () => {
  it("is removed as soon as the stream and the playable version can replace it, but not before", async () => {
    const { id, source } = await add(avi());
    await workUntilIdle();
    expect(videoRow(id)).toMatchObject({ source_url: source, source_removed_at: null });
    expect(exists(source)).toBe(true);

    await finish();
    const row = videoRow(id);
    expect(row).toMatchObject({ source_url: null, video_url: source.replace(".avi", ".mp4") });
    expect(Date.parse(row.source_removed_at!)).toBeCloseTo(Date.now(), -5);
    expect(exists(source)).toBe(false);
    expect(await probe(diskPath(site.uploads, row.video_url))).toMatchObject({ playable: true });
    expect(exists(row.hls_url)).toBe(true);
    const files = filesBelow(site.uploads).map((name) => path.join(site.uploads, name));
    const bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
    expect(row.bytes).toBe(bytes);
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });

    // The original's URL now leads to the playable version.
    const request = new Request(`http://site.example${source}`);
    const response = await media({ request, params: {}, context: {} });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get("Content-Length"))).toBe(
      fs.statSync(diskPath(site.uploads, row.video_url)).size,
    );
    await response.body?.cancel();
  });

  it("is kept while the stream is incomplete", async () => {
    const { id, source } = addConverted();
    const folder = path.dirname(diskPath(site.uploads, videoRow(id).hls_url));
    const whole = path.join(site.folder, "whole");
    fs.cpSync(folder, whole, { recursive: true });
    const rewrite = (name: string, from: RegExp) => {
      const text = fs.readFileSync(path.join(folder, name), "utf8");
      fs.writeFileSync(path.join(folder, name), text.replaceAll(from, ""));
    };
    const damages: Record<string, () => void> = {
      "a rendition is truncated": () => fs.truncateSync(path.join(folder, "90p.mp4"), 2_000),
      "a playlist has no end": () => rewrite("90p.m3u8", /#EXT-X-ENDLIST/g),
      "a playlist is short": () => rewrite("90p.m3u8", /#EXTINF:.*\n.*\n90p.mp4\n/g),
      "its audio is missing": () => rewrite("master.m3u8", /^#EXT-X-MEDIA.*\n/gm),
      "everything is missing": () => fs.rmSync(folder, { recursive: true }),
    };
    for (const [name, damage] of Object.entries(damages)) {
      damage();
      await cleanUp();
      expect(jobStates(id).cleanup, name).toBe("done");
      expect(videoRow(id), name).toMatchObject({ source_url: source, source_removed_at: null });
      expect(exists(source), name).toBe(true);
      fs.cpSync(whole, folder, { recursive: true });
    }
    await cleanUp();
    expect(exists(source)).toBe(false);
  });

  it("is kept while the playable version is shorter, or if another row references the original", async () => {
    const { id } = addConverted();
    const { id: other } = addConverted();
    const { source_url, video_url } = videoRow(id);
    const short = makeClip(site.folder, "short", { seconds: 1 });
    fs.copyFileSync(short, diskPath(site.uploads, video_url));
    const shared = videoRow(other).source_url!;
    sqliteHandle()
      .prepare("INSERT INTO videos (id, title, category, source_url) VALUES ('w', 'w', 'desi', ?)")
      .run(shared);
    await finish();
    expect(videoRow(id).source_url).toBe(source_url);
    expect(videoRow(other).source_url).toBe(shared);
    expect([source_url, shared].map(exists)).toEqual([true, true]);
  });

  it("is removed even if it has several audio tracks, provided that the stream has them all", async () => {
    const clip = path.join(site.folder, "video.mkv");
    ffmpeg([
      ...["-i", avi(), "-f", "lavfi", "-i", "sine=frequency=880:duration=2", "-map", "0:v"],
      ...["-map", "0:a", "-map", "1:a", "-c:v", "mpeg4", "-c:a", "aac"],
      ...["-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=fra", clip],
    ]);
    const { id, source } = await add(clip);
    await finish();
    expect(videoRow(id).source_url).toBeNull();
    expect(exists(source)).toBe(false);
    const master = fs.readFileSync(diskPath(site.uploads, videoRow(id).hls_url), "utf8");
    expect(master.match(/GROUP-ID="stereo"/g)).toHaveLength(2);
  });

  it("is found by the library check if the process was killed after the commit", async () => {
    const { id, source } = addConverted();
    await cleanUp();
    fs.copyFileSync(avi(), diskPath(site.uploads, source));
    expect(await stray()).toEqual([source.replace("/media/videos/", "")]);
    await quarantineStray((await checkLibrary()).stray, Date.now() + 8 * 86_400_000);
    expect(exists(source)).toBe(false);
    expect(exists(videoRow(id).video_url)).toBe(true);
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
  });

  it("stays removed if its video is restored from the trash", async () => {
    const { id } = addConverted();
    await cleanUp();
    const before = videoRow(id);
    const { id: userId } = insertUser();
    await removeVideos([id], userId);
    const [deletion] = await listDeletions();
    await restoreDeletion(deletion!.batch, userId);
    await finish();
    const { source_removed_at, video_url, hls_url, hls_settings } = before;
    const kept = { source_removed_at, video_url, hls_url, hls_settings, source_url: null };
    expect(videoRow(id)).toMatchObject(kept);
    expect([before.video_url, before.hls_url].map(exists)).toEqual([true, true]);
    expect(Object.values(jobStates(id))).not.toContain("failed");
  });

  it("isn't imported again after it was removed", async () => {
    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    fs.copyFileSync(avi(), path.join(folder, "video.avi"));
    const { id: userId } = insertUser();
    const take = async () => {
      const plan = await planFolder(folder, { category: "desi", status: "published" });
      await importVideos(plan, { userId, mode: "copy" });
      return sqliteHandle().prepare("SELECT id FROM videos").pluck().all() as string[];
    };
    const ids = await take();
    onlyJobs("transcode", "captions", "ladder");
    await finish();
    expect(videoRow(ids[0]!)).toMatchObject({
      source_url: null,
      source_removed_at: expect.any(String),
    });
    expect(await take()).toEqual(ids);
    expect(fs.existsSync(path.join(folder, "video.avi"))).toBe(true);
  });

  it("is kept with KEEP_SOURCES=always, and removed after the setting is changed", async () => {
    await site.remove();
    begin("always");
    const { id, source } = addConverted();
    await cleanUp();
    expect(videoRow(id).source_url).toBe(source);
    await workUntilIdle();
    expect(videoRow(id).source_url).toBe(source);
    process.env.KEEP_SOURCES = "until-converted";
    forgetSettings();
    await workUntilIdle();
    expect(videoRow(id)).toMatchObject({ source_url: null });
    expect(exists(source)).toBe(false);
  });

  it("is removed with KEEP_SOURCES=never before the stream is encoded from the playable version", async () => {
    await site.remove();
    begin("never");
    const video = ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
    const clip = { extension: "mkv", size: "1408x792", seconds: 1, video, audio: ["ac3"] };
    const { id, source } = await add(makeClip(site.folder, "video", clip));
    sqliteHandle().exec("UPDATE jobs SET state = 'failed' WHERE kind = 'ladder'");
    await workUntilIdle();
    const row = videoRow(id);
    expect(row).toMatchObject({ source_url: null, hls_url: null, captions: "[]" });
    expect(exists(source)).toBe(false);
    // The playable version has the full resolution instead of a first rendition's 720 lines.
    const played = await probe(diskPath(site.uploads, row.video_url));
    expect(played).toMatchObject({ playable: true, video: { width: 1408, height: 792 } });

    sqliteHandle().exec("UPDATE jobs SET state = 'waiting' WHERE kind = 'ladder'");
    await finish();
    expect(exists(videoRow(id).hls_url)).toBe(true);
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
  });

  it("is removed with KEEP_SOURCES=never as soon as the first watchable stream and its copy exist", async () => {
    await site.remove();
    begin("never");
    const { id, source } = await add(avi("1408x792", 1));
    await workUntilIdle();
    const row = videoRow(id);
    expect(row).toMatchObject({ source_url: null, captions: "[]" });
    expect(exists(source)).toBe(false);
    expect(exists(row.hls_url)).toBe(true);
    const played = await probe(diskPath(site.uploads, row.video_url));
    expect(played).toMatchObject({ playable: true, video: { width: 1408, height: 792 } });
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
  });
});
