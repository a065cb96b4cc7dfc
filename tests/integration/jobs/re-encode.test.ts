import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { action } from "~/features/operations/routes/statistics";
import { readSourceStatistics } from "~/features/operations/statistics/statistics.server";
import { reencodeOutdatedStreams } from "~/features/processing/queue/enqueue.server";
import { loader as media } from "~/features/watch/routes/media";
import { ladderSettings } from "~/media/encode/encoders.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, catchResponse, signInAdmin } from "../../admin-requests";
import {
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  jobStates,
  onlyJobs,
  videoRow,
  workUntilIdle,
} from "../../encode-library";
import { makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";
import { wrapCommand } from "../../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const statusOf = async (url: string) => {
  const request = new Request(`http://site.example${url}`);
  const response = await media({ request, params: {}, context: {} });
  await response.body?.cancel();
  return response.status;
};
const waiting = () =>
  sqliteHandle()
    .prepare("SELECT video_id FROM jobs WHERE state = 'waiting' ORDER BY priority, created_at, id")
    .pluck()
    .all();

describe.runIf(ffmpegAvailable())("outdated streams", () => {
  it("are re-encoded, and each earlier one is served until nobody can be watching it anymore", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const id = await addToLibrary(site.uploads, clip, true);
    onlyJobs("ladder");
    await workUntilIdle();
    const before = videoRow(id);
    expect(before.hls_settings).toBe(ladderSettings());
    expect(await reencodeOutdatedStreams()).toBe(0);

    process.env.ENCODER_MAX_HEIGHT = "240";
    forgetSettings();
    expect(await readSourceStatistics()).toMatchObject({ outdated: 1 });
    expect(await reencodeOutdatedStreams()).toBe(1);
    expect(videoRow(id)).toEqual(before);
    await workUntilIdle();
    const row = videoRow(id);
    expect(row).toMatchObject({ video_url: before.video_url, hls_settings: ladderSettings() });
    expect(row.hls_url).not.toBe(before.hls_url);
    expect(await statusOf(before.hls_url!)).toBe(200);
    expect(await statusOf(before.hls_url!.replace("master.m3u8", "180p.mp4"))).toBe(200);
    const cleanup = jobRows(id).find(({ kind }) => kind === "cleanup")!;
    expect((Date.parse(cleanup.run_after) - Date.now()) / 3_600_000).toBeCloseTo(6, 1);
    expect(await readSourceStatistics()).toMatchObject({ outdated: 0 });

    sqliteHandle().exec("UPDATE jobs SET run_after = '2000' WHERE kind = 'cleanup'");
    await workUntilIdle();
    expect(await statusOf(before.hls_url!)).toBe(404);
    expect(await statusOf(row.hls_url!)).toBe(200);
    const files = filesBelow(site.uploads).map((name) => path.join(site.uploads, name));
    const counted = files
      .filter((file) => file.includes("/videos/u/"))
      .filter((file) => /\/hls-/.test(file));
    expect(videoRow(id).bytes).toBe(counted.reduce((sum, file) => sum + fs.statSync(file).size, 0));
  });

  it("keep their playable file if the new one can't be decoded", async () => {
    const clip = makeClip(site.folder, "clip", { extension: "avi", video: ["mpeg4"] });
    const id = await addToLibrary(site.uploads, clip, true);
    onlyJobs("transcode");
    await workUntilIdle();
    const { video_url } = videoRow(id);
    const before = fs.readFileSync(diskPath(site.uploads, video_url));
    const begin = () =>
      sqliteHandle().exec(
        "UPDATE jobs SET state = 'waiting', attempts = 0, run_after = '2000' WHERE kind = 'transcode'",
      );

    // Overwrite the end of the media data, as if the encoder had failed.
    const usualPath = process.env.PATH;
    process.env.PATH = wrapCommand(site.folder, "ffmpeg", [
      'case "$*" in *playable.mp4)',
      '  ffmpeg "$@" && printf "%4000s" | dd of=playable.mp4 bs=1 seek=20000 conv=notrunc status=none',
      "  exit",
      "esac",
    ]);
    begin();
    await workUntilIdle();
    expect(jobRows(id).find(({ kind }) => kind === "transcode")).toMatchObject({
      state: "done",
      reason: expect.stringContaining("has decoding errors"),
    });
    expect(fs.readFileSync(diskPath(site.uploads, video_url)).equals(before)).toBe(true);

    process.env.PATH = usualPath;
    begin();
    await workUntilIdle();
    expect(jobStates(id).transcode).toBe("done");
    expect(videoRow(id).video_url).toBe(video_url);
    expect(videoRow(id).source_url).toMatch(/\.avi$/);
  });

  it("are queued after everything else, alternating between the newest and the most viewed", async () => {
    const stream = {
      hls_url: "/media/videos/u/1/hls-1/master.m3u8",
      video_url: "/media/videos/u/1.mp4",
    };
    const add = (id: string, views: number, columns = {}) =>
      addVideo({ id, views, created_at: `2024-05-0${id.length}T00:00:00Z`, ...stream, ...columns });
    add("a", 5);
    add("bb", 900);
    add("ccc", 0);
    add("dddd", 70);
    add("eeeee", 1);
    add("without", 999, { hls_url: null, created_at: "2024-06-01" });
    add("current", 999, { hls_settings: ladderSettings() });
    add("freed", 999, { source_removed_at: "2024-06-01T00:00:00Z" });
    const job = sqliteHandle().prepare(
      "INSERT INTO jobs (video_id, kind, priority, state, reason) VALUES (?, ?, ?, ?, ?)",
    );
    job.run("a", "ladder", 40, "failed", "because");
    job.run("ccc", "ladder", 40, "running", null);
    job.run("without", "poster", 10, "waiting", null);
    expect(await reencodeOutdatedStreams()).toBe(4);
    expect(waiting()).toEqual(["without", "eeeee", "bb", "dddd", "a"]);
    expect(jobRows("a")).toMatchObject([{ attempts: 0, reason: null }]);
    expect(jobStates("ccc")).toEqual({ ladder: "running" });

    // Queuing the streams again updates their order.
    sqliteHandle().exec("UPDATE videos SET views = 9999 WHERE id = 'a'");
    expect(await reencodeOutdatedStreams()).toBe(4);
    expect(waiting()).toEqual(["without", "eeeee", "a", "dddd", "bb"]);
  });

  it("aren't re-encoded if the video's source was removed", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const id = await addToLibrary(site.uploads, clip, true);
    const hls_url = "/media/videos/u/1/hls-1/master.m3u8";
    sqliteHandle()
      .prepare("UPDATE videos SET source_removed_at = '2024', hls_url = ?")
      .run(hls_url);
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'ladder'");
    await workUntilIdle();
    expect(jobStates(id).ladder).toBe("done");
    expect(videoRow(id)).toMatchObject({ hls_url, hls_settings: null });
  });

  it("can be queued on the statistics page, which shows the size of the originals", async () => {
    await signInAdmin();
    addVideo({ id: "v", source_url: "/media/videos/u/1.avi" });
    const done = {
      video_url: "/media/videos/u/2.mp4",
      hls_url: "/media/videos/u/2/hls-1/master.m3u8",
    };
    addVideo({ id: "w", source_url: "/media/videos/u/2.avi", ...done });
    const replaced = "/media/videos/u/3/original-1-1-1.mp4";
    addVideo({ id: "x", source_url: replaced, ...done, hls_settings: ladderSettings() });
    addVideo({ id: "y", ...done, source_removed_at: "2024-06-01T00:00:00Z" });
    sqliteHandle().exec(
      "INSERT INTO media_files (bucket, path, video_id, kind, bytes) VALUES ('videos', 'u/1.avi', 'v', 'video', 700), ('videos', 'u/2.avi', 'w', 'video', 50)",
    );
    fs.mkdirSync(path.dirname(diskPath(site.uploads, replaced)), { recursive: true });
    fs.writeFileSync(diskPath(site.uploads, replaced), "bytes");
    expect(await readSourceStatistics()).toEqual({
      keep: "always",
      sources: { videos: 3, bytes: 755 },
      converted: { videos: 2, bytes: 55 },
      removed: 1,
      outdated: 1,
      cut: { videos: 0, bytes: 0 },
    });
    const sendRequest = (intent: string) =>
      catchResponse(async () =>
        action({
          request: new Request("http://localhost/admin/statistics?days=7", {
            method: "POST",
            headers: { Cookie: adminCookie(), Origin: "http://localhost" },
            body: new URLSearchParams({ intent }),
          }),
          params: {},
          context: {},
        }),
      );
    expect((await sendRequest("nothing")).status).toBe(400);
    const response = await sendRequest("convert-again");
    expect(response.status).toBe(302);
    expect(response.headers.get("Location")).toBe("/admin/statistics?days=7");
    expect(waiting()).toEqual(["w"]);
    const recorded = sqliteHandle().prepare("SELECT action, detail FROM activities").all();
    expect(recorded).toEqual([{ action: "convert-again", detail: "1 video" }]);
  });
});
