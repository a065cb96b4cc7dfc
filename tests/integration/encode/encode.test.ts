import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_PREVIEW_BYTES } from "~/features/processing/kinds/preview.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
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
import { ffmpeg, makeClip, rotate } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";
import { withoutMetadata } from "../../without-metadata";

const X264 = ["libx264", "-preset", "ultrafast"];
const ALL_DONE = {
  transcode: "done",
  captions: "done",
  poster: "done",
  storyboard: "done",
  preview: "done",
  loudness: "done",
  ladder: "done",
  fingerprint: "done",
  cleanup: "waiting",
};

let site: ReturnType<typeof useTemporarySite>;

const makeMov = () => makeClip(site.folder, "clip", { extension: "mov" });
/** Creates a clip that resembles a browser's recording, with no duration in its header. */
const makeRecording = () =>
  makeClip(site.folder, "clip", {
    extension: "webm",
    video: ["libvpx", "-deadline", "realtime", "-cpu-used", "8"],
    audio: ["libopus"],
    output: ["-live", "1"],
  });

beforeEach(() => {
  site = useTemporarySite({ ENCODER_PRESET: "superfast", KEEP_SOURCES: "until-converted" });
});
afterEach(() => site.remove());

describe.runIf(ffmpegAvailable())("processing a video", () => {
  it("creates all derived files for an AVI file in order, and records their URLs and total size in its row", async () => {
    const clip = makeClip(site.folder, "clip", { extension: "avi", video: ["mpeg4"], seconds: 5 });
    const id = await addToLibrary(site.uploads, clip, false);
    await workUntilIdle();
    expect(jobRows(id).filter(({ reason }) => reason)).toEqual([]);
    expect(jobStates(id)).toEqual(ALL_DONE);
    const row = videoRow(id);
    const basePath = row.source_url?.replace(".avi", "");
    expect(row).toMatchObject({ video_url: `${basePath}.mp4`, duration: "0:05" });
    expect(row.thumbnail_url).toBe(`${basePath?.replace("videos", "thumbnails")}.webp`);
    expect(row.poster_colors).toMatch(/^[0-9a-f]{24}$/);

    const played = await probe(diskPath(site.uploads, row.video_url));
    expect(played).toMatchObject({
      container: "mp4",
      playable: true,
      needsFaststart: false,
      video: { codec: "h264", profile: "High", width: 320, height: 180 },
      audio: { codec: "aac" },
    });
    const poster = await sharp(diskPath(site.uploads, row.thumbnail_url)).stats();
    expect(poster.dominant).not.toEqual({ r: 8, g: 8, b: 8 });
    expect(Math.max(...poster.channels.map(({ mean }) => mean))).toBeGreaterThan(40);

    const preview = diskPath(site.uploads, row.preview_url);
    expect(fs.statSync(preview).size).toBeLessThanOrEqual(MAX_PREVIEW_BYTES);
    const clipOf = await probe(preview);
    expect(clipOf).toMatchObject({ playable: true, needsFaststart: false });
    expect(clipOf).not.toHaveProperty("audio");

    expect(fs.existsSync(diskPath(site.uploads, row.hls_url))).toBe(true);
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
    const source = fs.statSync(diskPath(site.uploads, row.source_url)).size;
    const all = filesBelow(site.uploads).map((name) => path.join(site.uploads, name));
    const bytes = all.reduce((sum, file) => sum + fs.statSync(file).size, 0);
    // The source isn't counted, because this test doesn't record it, unlike an upload.
    expect(row.bytes).toBe(bytes - source);
    const finished = jobRows(id).filter(({ kind }) => kind !== "cleanup");
    expect(finished.map(({ finished_at }) => finished_at)).toEqual(
      finished.map(({ finished_at }) => finished_at).sort(),
    );
  });

  it("doesn't change a playable file or its thumbnail", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const given = { thumbnail_url: "/media/thumbnails/u/1.webp", duration: "9:59" };
    const id = await addToLibrary(site.uploads, clip, true, given);
    const before = videoRow(id);
    await workUntilIdle();
    expect(jobStates(id)).toEqual(ALL_DONE);
    const { hls_url, hls_settings, storyboard_url, preview_url, bytes, ...others } = videoRow(id);
    const { captions, loudness, true_peak, ...rest } = others;
    expect(before).toMatchObject(rest);
    expect(rest).toMatchObject({ ...given, source_url: null });
    const made = [
      hls_url,
      hls_settings,
      storyboard_url,
      preview_url,
      captions,
      loudness,
      true_peak,
    ];
    expect(made).not.toContain(null);
  });

  it("replaces an MP4 whose index is at the end with a remuxed copy, and later removes the original", async () => {
    const clip = makeClip(site.folder, "clip");
    const id = await addToLibrary(site.uploads, clip, true);
    const first = videoRow(id).video_url;
    onlyJobs("transcode", "ladder");
    await workUntilIdle();
    const row = videoRow(id);
    expect(row).toMatchObject({
      video_url: first,
      source_url: expect.stringMatching(/^\/media\/videos\/u\/\d+\/original-[\da-z-]+\.mp4$/),
    });
    const earlier = diskPath(site.uploads, row.source_url);
    expect(fs.readFileSync(earlier).equals(withoutMetadata(fs.readFileSync(clip)))).toBe(true);
    const frameHashes = (file: string) =>
      ffmpeg(["-i", file, "-map", "0:v", "-c", "copy", "-f", "streamhash", "-"]);
    expect(frameHashes(diskPath(site.uploads, row.video_url))).toBe(frameHashes(clip));
    expect(await probe(diskPath(site.uploads, row.video_url))).toMatchObject({
      playable: true,
      needsFaststart: false,
    });
    const cleanup = jobRows(id).find(({ kind }) => kind === "cleanup")!;
    expect((Date.parse(cleanup.run_after) - Date.now()) / 3_600_000).toBeCloseTo(6, 1);

    sqliteHandle().exec("UPDATE jobs SET run_after = '2000-01-01' WHERE kind = 'cleanup'");
    await workUntilIdle();
    expect(videoRow(id)).toMatchObject({ source_url: null, video_url: first });
    expect(fs.existsSync(earlier)).toBe(false);
    expect(fs.existsSync(diskPath(site.uploads, first))).toBe(true);
    expect(fs.existsSync(diskPath(site.uploads, row.hls_url))).toBe(true);
    const { bytes } = sqliteHandle().prepare("SELECT bytes FROM videos").get() as { bytes: number };
    const all = filesBelow(site.uploads).map((name) => path.join(site.uploads, name));
    expect(bytes).toBe(all.reduce((sum, file) => sum + fs.statSync(file).size, 0));
  });

  it.each([
    ["mov", makeMov, "mp4"],
    ["webm", makeRecording, "webm"],
  ])("keeps the URL of a playable %s file when the file is remuxed", async (as, make, then) => {
    const id = await addToLibrary(site.uploads, make(), true);
    const { video_url } = videoRow(id);
    expect(video_url).toMatch(new RegExp(`\\.${as}$`));
    onlyJobs("transcode");
    await workUntilIdle();
    expect(jobRows(id).filter(({ reason }) => reason)).toEqual([]);
    const row = videoRow(id);
    expect(row.video_url).toBe(video_url);
    expect(await probe(diskPath(site.uploads, video_url))).toMatchObject({
      container: then,
      playable: true,
      needsFaststart: false,
    });
  });

  it("encodes only the streams that browsers can't play, such as the AC-3 audio in a Matroska file", async () => {
    const clip = makeClip(site.folder, "clip", {
      extension: "mkv",
      audio: ["ac3", "-ac", "6"],
      video: [...X264, "-pix_fmt", "yuv420p", "-g", "25"],
    });
    const id = await addToLibrary(site.uploads, clip, false);
    onlyJobs("transcode", "ladder");
    await workUntilIdle();
    const row = videoRow(id);
    expect(await probe(diskPath(site.uploads, row.video_url))).toMatchObject({
      playable: true,
      video: { codec: "h264", profile: "Constrained Baseline" },
      audio: { codec: "aac", channels: 2 },
    });
  });

  it("converts 10-bit HDR to 8-bit SDR, and rotates frames upright", async () => {
    const pq = ["-color_trc", "smpte2084", "-color_primaries", "bt2020", "-colorspace", "bt2020nc"];
    const hdr = rotate(
      makeClip(site.folder, "hdr", {
        extension: "mp4",
        video: [...X264, "-pix_fmt", "yuv420p10le", ...pq],
        audio: false,
      }),
      90,
    );
    const id = await addToLibrary(site.uploads, hdr, false);
    onlyJobs("transcode", "ladder");
    await workUntilIdle();
    const row = videoRow(id);
    const upright = { width: 180, height: 320, rotation: 0, pixelFormat: "yuv420p", hdr: false };
    expect(await probe(diskPath(site.uploads, row.video_url))).toMatchObject({
      playable: true,
      video: upright,
    });
    const ladder = path.dirname(diskPath(site.uploads, row.hls_url));
    expect(await probe(path.join(ladder, "180p.mp4"))).toMatchObject({ video: upright });
  });

  it("creates a storyboard that is in sync with the video", async () => {
    // The brightness of each frame encodes its time: it increases by 10 each second.
    const clip = makeClip(site.folder, "codes", {
      videoSource: "color=black:size=160x90:rate=10:duration=21,geq=lum=20+T*10:cb=128:cr=128",
      seconds: 21,
      audio: false,
    });
    const id = await addToLibrary(site.uploads, clip, true);
    onlyJobs("storyboard");
    await workUntilIdle();
    const vtt = diskPath(site.uploads, videoRow(id).storyboard_url);
    const cues = [
      ...fs
        .readFileSync(vtt, "utf8")
        .matchAll(/00:00:([\d.]+) --> 00:00:([\d.]+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/g),
    ].map(([, from, to, name, ...box]) => ({
      from: Number(from),
      to: Number(to),
      name: name!,
      box: box.map(Number),
    }));
    expect(cues).toHaveLength(11);
    for (const { from, to, name, box } of cues) {
      const [left, top, width, height] = box as [number, number, number, number];
      const tile = await sharp(path.join(path.dirname(vtt), name))
        .extract({ left, top, width, height })
        .greyscale()
        .png()
        .toBuffer();
      const { channels } = await sharp(tile).stats();
      // The video has limited range, and the image has full range.
      const seconds = ((channels[0]!.mean * 219) / 255 + 16 - 20) / 10;
      expect(seconds).toBeGreaterThan(from - 0.5);
      expect(seconds).toBeLessThan(to + 0.5);
    }
  });

  it("doesn't choose a black frame as the poster", async () => {
    const clip = makeClip(site.folder, "dark", {
      videoSource:
        "testsrc2=size=320x180:rate=10:duration=9,drawbox=color=black:t=fill:enable='not(between(t,4,5))'",
      seconds: 9,
    });
    const id = await addToLibrary(site.uploads, clip, true);
    onlyJobs("poster");
    await workUntilIdle();
    const { channels } = await sharp(diskPath(site.uploads, videoRow(id).thumbnail_url)).stats();
    expect(Math.max(...channels.map(({ mean }) => mean))).toBeGreaterThan(60);
  });

  it("falls back to software encoding if hardware encoding fails", async () => {
    await site.remove();
    site = useTemporarySite({ ENCODER_PRESET: "superfast", ENCODER_HARDWARE: "nvenc" });
    const warnings = vi.spyOn(console, "warn").mockImplementation(() => {});
    const clip = makeClip(site.folder, "clip", {
      extension: "avi",
      video: ["mpeg4"],
      audio: false,
    });
    const id = await addToLibrary(site.uploads, clip, false);
    onlyJobs("transcode", "ladder");
    await workUntilIdle();
    const made = jobRows(id).filter(({ kind }) => kind === "transcode" || kind === "ladder");
    expect(made.map(({ state, attempts }) => [state, attempts])).toEqual([
      ["done", 1],
      ["done", 1],
    ]);
    expect(warnings).toHaveBeenCalledOnce();
    expect(String(warnings.mock.calls[0])).toMatch(/nvenc failed .+ software/);
    warnings.mockRestore();
  });
});
