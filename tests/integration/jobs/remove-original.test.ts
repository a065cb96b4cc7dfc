import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { claim } from "~/features/processing/queue/queue.server";
import { beginWork } from "~/features/processing/queue/worker.server";
import { encodeRenditions } from "~/media/encode/ladder.server";
import { createTask } from "~/media/encode/task.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { appendVideo, breakChunkOffset, damageMedia } from "../../edited-mp4";
import {
  addToLibrary,
  diskPath,
  jobRows,
  onlyJobs,
  videoRow,
  workUntilIdle,
} from "../../encode-library";
import { ffmpeg, makeClip } from "../../media-clips";
import {
  addAndConvert,
  CAVLC,
  expectRemoved,
  H264,
  isOnDisk,
  mpeg4,
  runCleanup,
} from "../../removed-originals";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { claimJob, createWorkerToken, sendResult } from "../../workers/worker-requests";
import { wrapCommand } from "../../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
let warnings: string[] = [];
const begin = (keep: string) => {
  site = useTemporarySite({ KEEP_SOURCES: keep });
};
beforeEach(() => {
  begin("until-converted");
  warnings = [];
  vi.spyOn(console, "warn").mockImplementation((line) => warnings.push(String(line)));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await site.remove();
});

const cleanup = (id: string) => jobRows(id).find(({ kind }) => kind === "cleanup")!;

/** Adds a playable file that is replaced by a copy with its index first. */
const copied = (seconds = 4, video = H264) =>
  addAndConvert(site.uploads, makeClip(site.folder, "video", { seconds, video }), true);

async function expectKept({ id, original }: { id: string; original: string }, why: RegExp) {
  expect(videoRow(id)).toMatchObject({ source_url: original, source_removed_at: null });
  expect(isOnDisk(site.uploads, original)).toBe(true);
  expect(cleanup(id)).toMatchObject({ state: "done", reason: expect.stringMatching(why) });
  expect(warnings.join("\n")).toMatch(why);
}

/** Changes a file in place, as a failing disk might. */
function change(url: string | null, how: (file: string) => void): void {
  how(diskPath(site.uploads, url));
}

describe.runIf(ffmpegAvailable())("an original with a playable copy", () => {
  it("is removed if the copy decodes to the same frames without errors", async () => {
    const { id, original } = await copied();
    await runCleanup();
    expect(videoRow(id)).toMatchObject({ source_url: null, source_removed_at: null });
    expect(isOnDisk(site.uploads, original)).toBe(false);
    expect(isOnDisk(site.uploads, videoRow(id).video_url)).toBe(true);
    expect(warnings).toEqual([]);
  });

  it("is kept with KEEP_SOURCES=always", async () => {
    await site.remove();
    begin("always");
    const { id, original } = await copied();
    await runCleanup();
    expect(videoRow(id).source_url).toBe(original);
    expect(isOnDisk(site.uploads, original)).toBe(true);
    expect(cleanup(id)).toMatchObject({ state: "done", reason: null });
  });

  it.each<[string, (file: string) => void, RegExp]>([
    ["is truncated", (file) => fs.truncateSync(file, 1_000), /no longer plays/],
    ["ends in the middle", (file) => fs.truncateSync(file, fs.statSync(file).size >> 1), /shorter/],
    ["is damaged in the middle", damageMedia, /can't be decoded without errors/],
    ["is gone", (file) => fs.rmSync(file), /is missing/],
  ])("is kept if the copy %s", async (_, damage, why) => {
    const video = await copied();
    change(videoRow(video.id).video_url, damage);
    await runCleanup();
    await expectKept(video, why);
  });

  it("is kept if the copy is damaged in a place where decoders don't notice it", async () => {
    const video = await copied(4, CAVLC);
    change(videoRow(video.id).video_url, damageMedia);
    await runCleanup();
    await expectKept(video, /have different data/);
  });

  it("is kept if the copy has fewer frames, even with the same duration", async () => {
    const video = await copied();
    const fewer = makeClip(site.folder, "fewer", { seconds: 4, frameRate: "24", video: H264 });
    change(videoRow(video.id).video_url, (file) => fs.copyFileSync(fewer, file));
    await runCleanup();
    await expectKept(video, /has 96 frames/);
  });

  it("is kept if an earlier version of the site copied only the part before a broken index entry", async () => {
    const video = await copied(8);
    const original = diskPath(site.uploads, video.original);
    breakChunkOffset(original);
    change(videoRow(video.id).video_url, (file) =>
      ffmpeg(["-i", original, "-c", "copy", "-movflags", "+faststart", file]),
    );
    await runCleanup();
    await expectKept(video, /shorter/);
  });

  it("is kept if it can't be decoded without errors", async () => {
    const video = await copied();
    change(video.original, damageMedia);
    await runCleanup();
    await expectKept(video, /The original can't be decoded without errors/);
  });

  it("is kept if it has two sample descriptions and an earlier version copied only one of them", async () => {
    const video = await addAndConvert(
      site.uploads,
      makeClip(site.folder, "video", { seconds: 2, audio: false, video: H264 }),
      true,
    );
    const second = makeClip(site.folder, "second", { seconds: 2, audio: false, video: CAVLC });
    const original = diskPath(site.uploads, video.original);
    // Copy the clip, because the original is a hard link to it.
    fs.copyFileSync(
      makeClip(site.folder, "video", { seconds: 2, audio: false, video: H264 }),
      original,
    );
    appendVideo(original, second);
    change(videoRow(video.id).video_url, (file) =>
      ffmpeg(["-i", original, "-c", "copy", "-movflags", "+faststart", file]),
    );
    await runCleanup();
    expect(videoRow(video.id).source_url).toBe(video.original);
    expect(isOnDisk(site.uploads, video.original)).toBe(true);
  });

  it("is kept if the copy is replaced while it is being verified", async () => {
    const video = await copied();
    const played = diskPath(site.uploads, videoRow(video.id).video_url);
    // The original is the last file to be decoded.
    afterDecoding(path.basename(video.original), `truncate -s 1000 '${played}'`);
    await runCleanup();
    expect(fs.statSync(played).size).toBe(1_000);
    expect(videoRow(video.id).source_url).toBe(video.original);
    expect(isOnDisk(site.uploads, video.original)).toBe(true);
  });

  it("isn't decoded again at the next start if a difference was found", async () => {
    const video = await copied();
    change(videoRow(video.id).video_url, damageMedia);
    await runCleanup();
    warnings = [];
    await workUntilIdle();
    expect(warnings).toEqual([]);
    await expectUnchanged(video);
  });

  it("is kept if the job returns to the queue during the verification", async () => {
    const video = await copied(20);
    sqliteHandle().exec(
      "UPDATE jobs SET state = 'waiting', run_after = '2000' WHERE kind = 'cleanup'",
    );
    const work = beginWork((await claim())!);
    await work.returnToQueue();
    await work.ended;
    await expectUnchanged(video);
    expect(cleanup(video.id)).toMatchObject({ state: "waiting", attempts: 0 });
  });
});

describe.runIf(ffmpegAvailable())("a converted original", () => {
  it("is removed if it has two sample descriptions and the playable version has all of its frames", async () => {
    await expectRemoved(site.uploads, joined(), warnings);
  });

  it.each<[string, (folder: string) => void]>([
    ["largest rendition is damaged", (folder) => damageFragments(path.join(folder, "180p.mp4"))],
    ["audio is damaged", (folder) => damageFragments(path.join(folder, "audio-1.mp4"))],
  ])("is kept if the stream's %s", async (_, damage) => {
    const video = await addAndConvert(site.uploads, mpeg4(site.folder), false);
    damage(path.dirname(diskPath(site.uploads, videoRow(video.id).hls_url)));
    await runCleanup();
    await expectKept(video, /can't be decoded without errors/);
  });

  it("is kept if a worker has sent a rendition that is damaged in a place that isn't checked on receipt", async () => {
    const source = mpeg4(site.folder, { seconds: 6 });
    const id = await addToLibrary(site.uploads, source, false);
    const { source_url: original } = videoRow(id);
    onlyJobs("ladder");
    const token = await createWorkerToken(insertUser().id);
    const { lease } = await claimJob(token);
    const made = path.join(site.folder, "made");
    fs.mkdirSync(made);
    const task = createTask(site.folder, () => {});
    await encodeRenditions(source, (await probe(source))!, task, "made", "urgent");
    damageFragments(path.join(made, "180p.mp4"), 0.9);
    const files = fs.readdirSync(made).map((name) => {
      return [name, new Uint8Array(fs.readFileSync(path.join(made, name)))];
    });
    const sent = await sendResult(token, lease, Object.fromEntries(files));
    expect(sent.status).toBe(204);
    await runCleanup();
    await expectKept({ id, original: original! }, /can't be decoded without errors/);
  });

  it("is kept if the playable version is damaged in the middle", async () => {
    const video = await addAndConvert(site.uploads, mpeg4(site.folder), false);
    change(videoRow(video.id).video_url, damageMedia);
    await runCleanup();
    await expectKept(video, /can't be decoded without errors/);
  });

  it("is kept if the playable version is replaced after it was decoded", async () => {
    const video = await addAndConvert(site.uploads, mpeg4(site.folder), false);
    const played = diskPath(site.uploads, videoRow(video.id).video_url);
    // The original is the last file to be decoded.
    afterDecoding(path.basename(video.original), `truncate -s 1000 '${played}'`);
    await runCleanup();
    expect(fs.statSync(played).size).toBe(1_000);
    await expectUnchanged(video);
  });

  it("is kept with KEEP_SOURCES=never if the playable version is damaged, both before and after encoding", async () => {
    await site.remove();
    begin("never");
    const source = makeClip(site.folder, "video", {
      extension: "mkv",
      video: H264,
      audio: ["ac3"],
    });
    const id = await addToLibrary(site.uploads, source, false);
    onlyJobs("transcode");
    await workUntilIdle();
    const original = videoRow(id).source_url!;
    change(videoRow(id).video_url, damageMedia);
    sqliteHandle().exec(
      "UPDATE jobs SET state = 'waiting', run_after = '2000' WHERE kind IN ('captions', 'ladder')",
    );
    await workUntilIdle();
    await expectUnchanged({ id, original });
    await runCleanup();
    await expectKept({ id, original }, /can't be decoded without errors/);
  });
});

async function expectUnchanged({ id, original }: { id: string; original: string }): Promise<void> {
  expect(videoRow(id)).toMatchObject({ source_url: original, source_removed_at: null });
  expect(isOnDisk(site.uploads, original)).toBe(true);
}

function joined(): string {
  const part = { seconds: 2, audio: false as const };
  // If the clips were in the other order, ffmpeg's parser would report errors even though the decoder reports none, and
  // the original would be kept.
  const source = makeClip(site.folder, "video", { ...part, video: CAVLC });
  appendVideo(source, makeClip(site.folder, "second", { ...part, video: H264 }));
  return source;
}

/** Overwrites bytes in the first fragment, at the given fraction of its length. */
function damageFragments(file: string, share = 0.5): void {
  const bytes = fs.readFileSync(file);
  const media = bytes.indexOf("mdat", 0, "latin1") + 4;
  const at = media + Math.floor((bytes.readUInt32BE(media - 8) - 8) * share);
  bytes.fill(0, at, at + 400);
  fs.writeFileSync(file, bytes);
}

/** Installs an ffmpeg wrapper that runs a command after ffmpeg has decoded a file completely. */
function afterDecoding(name: string, command: string): void {
  const decoding = `*-xerror*${name}*) ffmpeg "$@"; code=$?; ${command}; exit $code;;`;
  process.env.PATH = wrapCommand(site.folder, "ffmpeg", [`case "$*" in ${decoding} esac`]);
}
