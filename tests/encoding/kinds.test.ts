import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { answerUpload, receiveUpload } from "~/features/upload/receive-upload.server";
import { ffmpegAvailable, hasFilter } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, diskPath, jobStates, videoRow, workUntilIdle } from "../encode-library";
import { type Clip, ffmpeg, makeClip, patched } from "../media-clips";
import { withSkeleton } from "../ogg-skeleton";
import { insertUser } from "../sign-in-requests";
import { useTemporarySite } from "../temporary-site";
import { fileBlob, uploadRequest } from "../upload-requests";

let site: ReturnType<typeof useTemporarySite>;
let user: string;
beforeEach(() => {
  site = useTemporarySite();
  user = insertUser().id;
});
afterEach(() => site.remove());

const X264 = ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
const small = (name: string, clip: Clip) =>
  makeClip(site.folder, name, { size: "160x90", seconds: 1, ...clip });
const upload = (file: string) => receiveUpload(uploadRequest(fileBlob(file)), user);

/**
 * Creates a file with two video streams of different sizes, followed by two audio streams. `dispositions` sets the
 * streams' dispositions.
 */
function tracks(name: string, as: string, dispositions: string[]): string {
  const file = path.join(site.folder, `${name}.${as}`);
  ffmpeg([
    ...["-f", "lavfi", "-i", "color=red:size=160x90:rate=25:duration=1"],
    ...["-f", "lavfi", "-i", "color=blue:size=320x180:rate=25:duration=1"],
    ...["-f", "lavfi", "-i", "sine=frequency=440:duration=1"],
    ...["-f", "lavfi", "-i", "sine=frequency=880:duration=1"],
    ...["-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", ...X264, "-c:a", "aac"],
    ...dispositions.flatMap((value, index) => [`-disposition:${index}`, value]),
    file,
  ]);
  return file;
}

describe.runIf(ffmpegAvailable())(
  "a file with a damaged packet, in codecs that browsers can play",
  () => {
    it("is encoded if it can't be copied, and plays to the end", async () => {
      const complete = small("complete", { extension: "ts", seconds: 4, video: X264 });
      const bytes = fs.readFileSync(complete);
      // Damages the headers of audio frames (ADTS) in the second half, where copying to MP4 would stop.
      let at = bytes.length / 2;
      for (let damaged = 0; damaged < 5; damaged++) {
        at = bytes.indexOf(Buffer.from([0xff, 0xf1]), at) + 1;
        bytes[at] = 0;
      }
      const file = path.join(site.folder, "damaged.ts");
      fs.writeFileSync(file, bytes);
      const copied = ["-v", "error", "-i", file, "-c", "copy", "-f", "mp4", "-y", `${file}.mp4`];
      expect(spawnSync("ffmpeg", copied).status).not.toBe(0);

      const id = await addToLibrary(site.uploads, file, false);
      await workUntilIdle();
      expect(jobStates(id)).toMatchObject({ transcode: "done", ladder: "done" });
      const copy = await probe(diskPath(site.uploads, videoRow(id).video_url));
      expect(copy).toMatchObject({ playable: true });
      expect(copy!.durationSeconds).toBeCloseTo(4, 0);
    });
  },
);

describe.runIf(ffmpegAvailable())("the streams that are played", () => {
  it.each([
    [
      "are the largest video stream and the first audio stream by default",
      "mkv",
      ["default", "default", "default", "0"],
      1,
      2,
    ],
    ["are the default streams of the file", "mkv", ["default", "0", "0", "default"], 0, 3],
    ["may be the second of each type in MP4", "mp4", ["0", "default", "0", "default"], 1, 3],
    ["may be the first of each type in MP4", "mp4", ["default", "0", "default", "0"], 0, 2],
  ])("%s", async (_, as, dispositions, videoIndex, audioIndex) => {
    const found = await probe(tracks("tracks", as, dispositions));
    expect(found).toMatchObject({ video: { index: videoIndex }, audio: { index: audioIndex } });
    // Browsers would play the first stream of each type.
    expect(found!.playable).toBe(as === "mp4" && videoIndex === 0 && audioIndex === 2);
  });

  it("are copied to a new file if the default streams aren't the first ones", async () => {
    const file = tracks("tracks", "mp4", ["0", "default", "0", "default"]);
    const id = await addToLibrary(site.uploads, file, false);
    await workUntilIdle();
    const playing = diskPath(site.uploads, videoRow(id).video_url);
    expect(await probe(playing)).toMatchObject({ playable: true, video: { width: 320 } });
  });
});

describe.runIf(ffmpegAvailable())("supported containers", () => {
  const audioFirst = ["-map", "1:a", "-map", "0:v"];
  const MPEG1: Clip = { video: ["mpeg1video"], audio: false };
  it.each<[string, Clip, string]>([
    [
      "Windows Media with audio first",
      { extension: "wmv", video: ["wmv2"], audio: ["wmav2"], output: audioFirst },
      "wmv",
    ],
    ["an MPEG-1 elementary stream", { ...MPEG1, extension: "m1v" }, "mpg"],
    [
      "an MPEG-2 elementary stream",
      { extension: "m2v", video: ["mpeg2video"], audio: false },
      "mpg",
    ],
    ["MXF", { extension: "mxf", video: ["mpeg2video"], audio: ["pcm_s16le"] }, "mxf"],
  ])("include %s", async (_, clip, ending) => {
    const file = small("kind", clip);
    expect(await upload(file)).toMatchObject({ ok: true, video: { status: "published" } });
    const [row] = sqliteHandle().prepare("SELECT source_url, duration FROM videos").all();
    expect(row).toMatchObject({ source_url: expect.stringMatching(`\\.${ending}$`) });
    expect(row).toMatchObject({ duration: "0:01" });
  });

  it("are recognized by their extensions in an import", async () => {
    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    const names = ["a.mxf", "b.m1v", "c.m2v", "d.vob", "e.mts"];
    for (const name of names) fs.writeFileSync(path.join(folder, name), "");
    const { entries } = await planFolder(folder, { category: "desi", status: "published" });
    expect(entries.map(({ name }) => name).sort()).toEqual(names);
  });

  it("include Ogg with a Skeleton stream", async () => {
    const file = small("plain", { extension: "ogv", video: ["libtheora"], audio: ["libvorbis"] });
    fs.writeFileSync(file, withSkeleton(fs.readFileSync(file)));
    expect(await upload(file)).toMatchObject({ ok: true });
    // A file with only audio isn't a video, whatever its container.
    const audioOnly = small("audio", {
      extension: "wma",
      audio: ["wmav2"],
      output: ["-vn", "-f", "asf"],
    });
    const message = "This file has no video track.";
    expect(await upload(audioOnly)).toMatchObject({ status: 422, failure: { message } });
  });

  it("can contain HDR without color tags, which is tone-mapped to SDR", async () => {
    if (!hasFilter("zscale")) return;
    const tags = ["-pix_fmt", "yuv420p10le", "-color_trc", "smpte2084"];
    const half = small("half", { video: ["libx264", "-preset", "ultrafast", ...tags] });
    const complete = small("complete", {
      video: ["libx264", "-preset", "ultrafast", ...tags].concat([
        "-color_primaries",
        "bt2020",
        "-colorspace",
        "bt2020nc",
      ]),
    });
    expect(await probe(half)).toMatchObject({ video: { hdr: true } });
    const frames = [];
    for (const file of [half, complete]) {
      const id = await addToLibrary(site.uploads, file, false);
      await workUntilIdle();
      const playing = diskPath(site.uploads, videoRow(id).video_url);
      frames.push(ffmpeg(["-i", playing, "-frames:v", "1", "-f", "framemd5", "-"]));
    }
    expect(frames[0]).toBe(frames[1]);
  });
});

describe.runIf(ffmpegAvailable())("rejected files", () => {
  it("get a specific message for VVC", async () => {
    const clip = small("plain", { output: ["-movflags", "+faststart"] });
    const outcome = await upload(patched(clip, "vvc.mp4", "avc1\0", "vvc1\0"));
    const message =
      "This video is in VVC (H.266), which isn’t supported. Use H.264, HEVC, VP9 or AV1.";
    expect(outcome).toMatchObject({ status: 415, failure: { message } });
    const unknown = patched(clip, "unknown.mp4", "avc1\0", "abcd\0");
    const other = "This video uses an unsupported codec.";
    expect(await upload(unknown)).toMatchObject({ status: 415, failure: { message: other } });
  });

  it("get a specific message if they are empty, whether they are sent by form or over tus, or imported", async () => {
    const message = "This file is empty.";
    const file = path.join(site.folder, "empty.mp4");
    fs.writeFileSync(file, "");
    expect(await upload(file)).toMatchObject({ status: 415, failure: { message } });
    await expect(probe(file)).rejects.toMatchObject({ message: message });
    fs.mkdirSync(path.join(site.uploads, "tmp", "tus"), { recursive: true });
    const headers = { "Tus-Resumable": "1.0.0", "Upload-Length": "0" };
    const url = "http://localhost/admin/uploads";
    const begin = new Request(url, { method: "POST", headers });
    const response = await answerUpload(begin, { id: user, role: "owner", mayPublish: true });
    expect([response.status, await response.text()]).toEqual([415, `${message}\n`]);
    const folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    fs.renameSync(file, path.join(folder, "empty.mp4"));
    const plan = await planFolder(folder, { category: "desi", status: "published" });
    const { failures } = await importVideos(plan, { userId: user, mode: "copy" });
    expect(failures).toEqual([{ name: "empty.mp4", reason: message }]);
  });
});
