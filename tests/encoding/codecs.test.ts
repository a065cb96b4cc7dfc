import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Parser } from "m3u8-parser";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commitArtifact } from "~/features/processing/queue/commit-artifact.server";
import { enqueueCodecs, enqueuePopularCodecs } from "~/features/processing/queue/enqueue.server";
import { produceArtifact, sourceOf } from "~/features/processing/queue/produce-artifact.server";
import { claim } from "~/features/processing/queue/queue.server";
import {
  chooseEncoder,
  extraCodecArguments,
  extraCodecs,
  logDisabledCodecs,
} from "~/media/encode/encoders.server";
import { createTask } from "~/media/encode/task.server";
import { removeFiles } from "~/media/files/removals.server";
import { UNFINISHED } from "~/media/files/temporary-files.server";
import { ffmpegAvailable, forgetFfmpeg, hasEncoder } from "~/media/probe/ffmpeg.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { command } from "../command";
import {
  addProcessed,
  diskPath,
  filesBelow,
  jobRows,
  jobStates,
  videoRow,
  workUntilIdle,
} from "../encode-library";
import { ffprobe } from "../media-clips";
import { useTemporarySite } from "../temporary-site";
import { wrapCommand } from "../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({
    ENCODER_CODECS: "h264, av1",
    ENCODER_CODECS_VIEWS: "10",
  });
});
afterEach(async () => {
  forgetFfmpeg();
  await site.remove();
});

/** Adds a video with a 90p stream. */
function addStream(views = 0): string {
  return addProcessed(site.uploads, "counting", { views });
}

const read = (id: string, name: string) =>
  fs.readFileSync(
    path.join(path.dirname(diskPath(site.uploads, videoRow(id).hls_url)), name),
    "utf8",
  );

function playlist(text: string) {
  const parser = new Parser();
  parser.push(text);
  parser.end();
  return parser.manifest as unknown as {
    playlists: { uri: string; attributes: Record<string, string | number> }[];
    iFramePlaylists: { uri: string }[];
    segments: { duration: number; byterange: { length: number; offset: number } }[];
    targetDuration: number;
  };
}

const master = (id: string) => playlist(read(id, path.basename(videoRow(id).hls_url!)));
/** Returns the output of `npm run jobs`. */
async function jobsCommand(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, command("jobs", ...args));
  return stdout;
}

const codecsJob = (id: string) => jobRows(id).find(({ kind }) => kind === "codecs");

/** Returns the files of additional codecs that haven't been moved into place yet. */
async function attempt(id: string) {
  await enqueueCodecs(id);
  const job = (await claim())!;
  expect(job.kind).toBe("codecs");
  const folder = path.join(site.uploads, "tmp", "attempt");
  fs.mkdirSync(folder, { recursive: true });
  const source = (await sourceOf(job))!;
  const artifact = await produceArtifact(
    job,
    source,
    createTask(folder, () => {}),
  );
  return { folder, commit: () => commitArtifact(job, source, artifact, folder) };
}

describe.runIf(ffmpegAvailable() && hasEncoder("libsvtav1"))("additional codecs", () => {
  it("are encoded for a popular video after all other jobs, with the same audio renditions", async () => {
    const id = addStream(9);
    expect([await enqueuePopularCodecs(), codecsJob(id)]).toEqual([0, undefined]);
    sqliteHandle().exec("UPDATE videos SET views = 10");
    const before = videoRow(id).hls_url!;
    expect([await enqueuePopularCodecs(), await enqueuePopularCodecs()]).toEqual([1, 0]);
    const priorities = jobRows(id).map(({ kind }) => kind);
    expect(priorities.at(-1)).toBe("codecs");
    await workUntilIdle();

    const after = videoRow(id).hls_url!;
    expect(path.dirname(after)).toBe(path.dirname(before));
    const [h264, ...rest] = master(id).playlists;
    expect(h264).toMatchObject({
      uri: "90p.m3u8",
      attributes: { CODECS: expect.stringMatching(/^avc1\./) },
    });
    const av1 = rest.find(({ attributes }) => String(attributes.CODECS).startsWith("av01."))!;
    const { uri, attributes } = av1;
    expect(uri).toMatch(/^av1-90p-\w+\.m3u8$/);
    expect(attributes.CODECS).toMatch(/^av01\.0\.\d\dM\.08,mp4a\.40\.2$/);
    expect(attributes).toMatchObject({
      RESOLUTION: { width: 160, height: 90 },
      AUDIO: h264!.attributes.AUDIO,
      "FRAME-RATE": h264!.attributes["FRAME-RATE"],
    });
    expect(master(id).iFramePlaylists.map((one) => one.uri)).toContain(
      uri.replace(".m3u8", "-keyframes.m3u8"),
    );
    // The existing files are kept for viewers who are already watching.
    expect(fs.readFileSync(diskPath(site.uploads, before), "utf8")).not.toContain("av01");
    const mediaFile = path.join(
      path.dirname(diskPath(site.uploads, after)),
      uri.replace("m3u8", "mp4"),
    );
    expect(ffprobe(mediaFile, ["-show_entries", "stream=codec_name", "-of", "csv=p=0"])).toContain(
      "av1",
    );

    // The segments end at the same times as those of the other rendition, and the bandwidths match the files.
    const [own, other] = [playlist(read(id, uri)), playlist(read(id, "90p.m3u8"))];
    expect(own.segments.map(({ duration }) => duration)).toEqual(
      other.segments.map(({ duration }) => duration),
    );
    expect(own.targetDuration).toBe(other.targetDuration);
    const { length, offset } = own.segments.at(-1)!.byterange;
    expect(offset + length).toBeLessThanOrEqual(fs.statSync(mediaFile).size);
    const average = (one: typeof own) => {
      const bytes = one.segments.reduce((sum, { byterange }) => sum + byterange.length, 0);
      return (bytes * 8) / one.segments.reduce((sum, { duration }) => sum + duration, 0);
    };
    const audioBitrate = Number(h264!.attributes["AVERAGE-BANDWIDTH"]) - average(other);
    expect(
      Math.abs(Number(attributes["AVERAGE-BANDWIDTH"]) - average(own) - audioBitrate),
    ).toBeLessThan(3);
    expect(Number(attributes.BANDWIDTH)).toBeGreaterThanOrEqual(average(own) + audioBitrate - 3);
  });

  it("can be requested for any video, once for each of its streams", async () => {
    const id = addStream();
    expect([await enqueueCodecs(id), await enqueueCodecs(id)]).toEqual([true, false]);
    expect(await enqueueCodecs("nothing")).toBe(false);
    await workUntilIdle();
    const { hls_url } = videoRow(id);
    const files = filesBelow(site.uploads);
    expect(await enqueueCodecs(id)).toBe(true);
    await workUntilIdle();
    expect([videoRow(id).hls_url, filesBelow(site.uploads)]).toEqual([hls_url, files]);

    sqliteHandle().exec("UPDATE jobs SET state = 'waiting' WHERE kind = 'ladder'");
    await workUntilIdle();
    expect(path.dirname(videoRow(id).hls_url!)).not.toBe(path.dirname(hls_url!));
    expect(JSON.stringify(master(id))).toContain("av01");
    expect(codecsJob(id)).toMatchObject({ state: "done", reason: null });
  });

  it("are encoded once the stream is complete, after a killed attempt's files are removed", async () => {
    const id = addStream();
    await enqueueCodecs(id);
    sqliteHandle().exec("UPDATE jobs SET state = 'waiting' WHERE kind = 'ladder'");
    expect((await claim())?.kind).toBe("ladder");
    expect(await claim()).toBeUndefined();
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind = 'ladder'");
    const folder = path.dirname(diskPath(site.uploads, videoRow(id).hls_url));
    fs.writeFileSync(path.join(folder, UNFINISHED), "");
    fs.writeFileSync(path.join(folder, "av1-90p-killed.mp4"), "half of it");
    const before = filesBelow(folder);
    await workUntilIdle();
    expect(jobStates(id).codecs).toBe("done");
    expect(filesBelow(folder)).toEqual(before);

    fs.rmSync(path.join(folder, UNFINISHED));
    const output = await jobsCommand("--codecs", id, "--once");
    expect(output).toContain("Queued the additional codecs.");
    await removeFiles();
    expect(JSON.stringify(master(id))).toContain("av01");
    const added = filesBelow(folder).filter((name) => name.startsWith("av1-"));
    expect(added).toHaveLength(3);
    expect(added.join()).not.toContain("killed");
    const files = filesBelow(site.uploads).filter((name) => name.includes("hls-"));
    const bytes = files.reduce(
      (sum, name) => sum + fs.statSync(path.join(site.uploads, name)).size,
      0,
    );
    expect(
      sqliteHandle()
        .prepare("SELECT bytes FROM media_files WHERE kind = 'derived' AND bucket = 'videos'")
        .pluck()
        .get(),
    ).toBeGreaterThanOrEqual(bytes);
    expect(await jobsCommand("--codecs", "nothing")).toContain("There are no codecs to add.");
  });

  it("are added to the current stream, but not to one that was replaced or deleted", async () => {
    const id = addStream();
    const files = filesBelow(path.join(site.uploads, "videos"));
    const { hls_url } = videoRow(id);
    const { commit: late } = await attempt(id);
    sqliteHandle()
      .prepare("UPDATE videos SET hls_url = ?")
      .run("/media/videos/u/1/hls-y/master.m3u8");
    expect(await late()).toBe(false);
    expect(jobStates(id).codecs).toBe("waiting");
    await removeFiles();
    expect(filesBelow(path.join(site.uploads, "videos"))).toEqual(files);

    // The codecs are encoded even if the video is hidden in the meantime. If the video is deleted, its files are
    // removed.
    sqliteHandle().prepare("UPDATE videos SET hls_url = ?, status = 'hidden'").run(hls_url);
    const { commit: expected } = await attempt(id);
    sqliteHandle().exec("DELETE FROM videos");
    expect(await expected()).toBe(false);
    await removeFiles();
    expect(filesBelow(path.join(site.uploads, "videos"))).toEqual(files);
  });
});

describe.runIf(ffmpegAvailable())("a codec that this machine can't encode", () => {
  it("is disabled and logged at startup", async () => {
    process.env.PATH = wrapCommand(site.folder, "ffmpeg", [
      'case "$*" in *-encoders*) ffmpeg "$@" | grep -v svtav1; exit;; esac',
    ]);
    process.env.ENCODER_CODECS = "h264,av1,hevc";
    forgetFfmpeg();
    forgetSettings();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    logDisabledCodecs();
    expect(warn.mock.calls.flat()).toEqual([
      "ENCODER_CODECS: AV1 is disabled: this ffmpeg build lacks the encoder libsvtav1.",
      "ENCODER_CODECS: HEVC is disabled: HEVC requires hardware encoding, and ENCODER_HARDWARE is off.",
    ]);
    warn.mockRestore();
    expect(extraCodecs()).toEqual([]);
    const id = addStream(1_000);
    expect([await enqueuePopularCodecs(), await enqueueCodecs(id)]).toEqual([0, false]);
  });

  it("can be HEVC, which requires hardware encoding and gets a codec string that devices support", () => {
    process.env.ENCODER_HARDWARE = "vaapi";
    process.env.ENCODER_CODECS = "h264,hevc";
    forgetSettings();
    const rendition = { maxBitrate: 1_000_000, crf: 23, keyframeInterval: 50 };
    const args = extraCodecArguments(chooseEncoder("hevc"), rendition);
    expect(args.join(" ")).toMatch(
      /-c:v hevc_vaapi -profile:v main .*-maxrate 700000 .*-tag:v hvc1$/,
    );
  });
});
