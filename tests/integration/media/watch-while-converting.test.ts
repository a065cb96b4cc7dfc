import fs from "node:fs";
import path from "node:path";
import { Parser } from "m3u8-parser";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listPublished } from "~/features/catalogue/published-list.server";
import { enqueueMissingJobs } from "~/features/processing/queue/enqueue.server";
import { claim } from "~/features/processing/queue/queue.server";
import { beginWork, type RunningJob, startRunner } from "~/features/processing/queue/worker.server";
import { respondWithMedia } from "~/features/visibility/media-access.server";
import { findPublished } from "~/features/watch/video.server";
import { removeFiles } from "~/media/files/removals.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle, transaction } from "~db/client.server";
import {
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  jobStates,
  videoRow,
} from "../../encode-library";
import { makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";
import { readSpeedLines, wrapCommand } from "../../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
let running: RunningJob | undefined;

/** The encoding speed as a multiple of real time. Without a limit, the stream might be complete at the first check. */
const SPEED = 6;
const SECONDS = 16;

beforeEach(() => {
  site = useTemporarySite({ ENCODER_PRESET: "superfast" });
  process.env.PATH = wrapCommand(site.folder, "ffmpeg", [
    'case "$*" in *frag_keyframe*)',
    ...readSpeedLines(SPEED),
    ";; esac",
  ]);
});
afterEach(async () => {
  running?.task.resume();
  running?.task.abort();
  await running?.ended;
  running = undefined;
  await site.remove();
});

/** Adds a video in a format that browsers can't play. */
async function addHevc(seconds = SECONDS): Promise<string> {
  const clip = makeClip(site.folder, "phone", {
    extension: "mp4",
    videoSource: `testsrc2=size=426x240:rate=10:duration=${seconds}`,
    seconds,
    video: ["libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"],
  });
  return addToLibrary(site.uploads, clip, false);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((next) => setTimeout(next, 20));
}

/** Runs jobs one by one up to the one that encodes the stream, which is left running. */
async function beginStream(): Promise<RunningJob> {
  for (;;) {
    const work = beginWork((await claim(undefined, Date.now() + 600_000))!);
    if (work.job.kind === "ladder") {
      running = work;
      return work;
    }
    await work.ended;
  }
}

/** Waits until a different stream can be watched, and pauses the encoder. */
async function untilWatchable(id: string): Promise<RunningJob> {
  const before = videoRow(id).hls_url;
  const work = await beginStream();
  await until(() => videoRow(id).hls_url !== before);
  work.task.pause();
  return work;
}

async function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const [, , bucket, ...rest] = url.split("/");
  const request = new Request(`http://localhost${url}`, { headers });
  return respondWithMedia(
    request,
    { bucket: bucket as "videos", path: rest.join("/") },
    async () => false,
  );
}

async function statusOf(url: string, headers?: Record<string, string>): Promise<number> {
  const response = await get(url, headers);
  await response.body?.cancel();
  return response.status;
}

interface Playlist {
  endList?: boolean;
  playlistType?: string;
  targetDuration: number;
  start?: { timeOffset: number };
  playlists?: { uri: string }[];
  segments: { uri: string; duration: number; byterange: { offset: number; length: number } }[];
}

async function playlist(url: string): Promise<Playlist & { text: string; cache: string }> {
  const response = await get(url);
  expect(response.status).toBe(200);
  const text = await response.text();
  const parser = new Parser();
  parser.push(text);
  parser.end();
  const cache = response.headers.get("Cache-Control") ?? "";
  return { ...(parser.manifest as unknown as Playlist), text, cache };
}

const listed = async () => (await listPublished({ page: 1 })).videos.map(({ id }) => id);
const beside = (url: string | null, name: string) => `${path.posix.dirname(String(url))}/${name}`;
const streamsOf = (id: string) => {
  const folder = diskPath(site.uploads, videoRow(id).source_url).replace(".mp4", "");
  return fs.existsSync(folder)
    ? fs.readdirSync(folder).filter((name) => name.startsWith("hls-"))
    : [];
};

describe.runIf(ffmpegAvailable())("a video that browsers can't play", { timeout: 120_000 }, () => {
  it("can be watched while it is being encoded, from the beginning up to the encoder's position, and completely afterward", async () => {
    const id = await addHevc();
    expect(await listed()).toEqual([]);
    expect((await findPublished(id))?.preparing).toBe(true);
    const work = await untilWatchable(id);
    expect(jobStates(id)).toMatchObject({
      transcode: "done",
      poster: "done",
      storyboard: "waiting",
    });
    expect(await listed()).toEqual([id]);
    expect((await listPublished({ page: 1 })).total).toBe(1);
    const { hls_url, source_url, video_url } = videoRow(id);
    expect(video_url).toBe("");
    expect(await findPublished(id)).toMatchObject({ preparing: false, hlsUrl: hls_url });

    const master = await playlist(hls_url!);
    expect(master.cache).toContain("no-store");
    const names = master.playlists!.map(({ uri }) => uri);
    expect([...new Set(names)]).toEqual(["240p.m3u8", "144p.m3u8", "audio-1-low.m3u8"]);
    const growing = new Map<string, Playlist & { text: string }>();
    for (const name of [...names, "audio-1.m3u8"]) {
      const found = await playlist(beside(hls_url, name));
      growing.set(name, found);
      expect(found).toMatchObject({ playlistType: "EVENT", start: { timeOffset: 0 } });
      expect(found.endList).not.toBe(true);
      expect(found.cache).toContain("no-store");
      expect(found.segments.length).toBeGreaterThanOrEqual(2);
      for (const { uri, byterange, duration } of found.segments) {
        expect(Math.round(duration)).toBeLessThanOrEqual(found.targetDuration);
        const { offset, length } = byterange;
        const range = { Range: `bytes=${offset}-${offset + length - 1}` };
        const segment = await get(beside(hls_url, uri), range);
        expect(segment.status).toBe(206);
        expect(segment.headers.get("Cache-Control")).toContain("max-age=3600");
        expect(segment.headers.get("ETag")).toBeNull();
        const bytes = Buffer.from(await segment.arrayBuffer());
        expect(bytes).toHaveLength(length);
        expect(bytes.toString("latin1", 4, 8)).toBe("moof");
      }
    }
    const first = growing.get("240p.m3u8")!;
    const unfinished = beside(hls_url, "240p.mp4");
    const { size } = fs.statSync(diskPath(site.uploads, unfinished));
    for (const Range of [undefined, "bytes=0-", "bytes=-9", `bytes=0-${size}`, `bytes=${size}-`]) {
      expect(await statusOf(unfinished, Range ? { Range } : {})).toBe(404);
    }
    for (const name of ["240p-keyframes.m3u8", "unfinished"]) {
      expect(await statusOf(beside(hls_url, name))).toBe(404);
    }
    expect(await statusOf(source_url!)).toBe(404);

    work.task.resume();
    const grown = () =>
      fs.readFileSync(diskPath(site.uploads, beside(hls_url, "240p.m3u8")), "utf8");
    await until(() => grown().length > first.text.length);
    expect(grown().startsWith(first.text.trimEnd())).toBe(true);
    await work.ended;
    const row = videoRow(id);
    expect(row.hls_url).toBe(hls_url);
    for (const [name, { text }] of growing) {
      const whole = await playlist(beside(hls_url, name));
      expect(whole).toMatchObject({ endList: true, playlistType: "EVENT" });
      expect(whole.text.startsWith(text.trimEnd())).toBe(true);
      const seconds = whole.segments.reduce((sum, { duration }) => sum + duration, 0);
      expect(seconds).toBeCloseTo(SECONDS, 0);
      expect(whole.cache).toContain("max-age");
    }
    expect((await playlist(hls_url!)).text).toContain("EXT-X-I-FRAME-STREAM-INF");
    expect(await statusOf(unfinished)).toBe(200);
    expect(await probe(diskPath(site.uploads, row.video_url))).toMatchObject({
      playable: true,
      needsFaststart: false,
      video: { codec: "h264", height: 240 },
      audio: { codec: "aac" },
    });
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
    expect(jobRows(id).filter(({ reason }) => reason)).toEqual([]);
  });

  it("is no longer served after it is hidden or deleted", async () => {
    const id = await addHevc();
    const work = await untilWatchable(id);
    const { hls_url } = videoRow(id);
    const playlists = [hls_url!, beside(hls_url, "240p.m3u8")];
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    for (const url of playlists) expect(await statusOf(url)).toBe(404);
    const range = { Range: "bytes=0-9" };
    expect(await statusOf(beside(hls_url, "240p.mp4"), range)).toBe(404);
    sqliteHandle().exec("UPDATE videos SET status = 'published'");
    for (const url of playlists) expect(await statusOf(url)).toBe(200);
    sqliteHandle().exec("DELETE FROM videos");
    work.task.resume();
    await work.ended;
    for (const url of playlists) expect(await statusOf(url)).toBe(404);
  });

  it("is encoded again after the encoder was killed, and switches to the new URL when the new stream is as long as the first", async () => {
    const id = await addHevc();
    const killed = await untilWatchable(id);
    const { hls_url: first } = videoRow(id);
    const watched = await playlist(beside(first, "240p.m3u8"));
    await killed.returnToQueue();
    await killed.ended;
    expect(videoRow(id).hls_url).toBe(first);
    expect(await listed()).toEqual([id]);
    expect((await playlist(beside(first, "240p.m3u8"))).endList).not.toBe(true);
    // Simulates a restore from the trash, which restores the row and the existing files.
    sqliteHandle().exec("DELETE FROM jobs");
    await transaction(() => enqueueMissingJobs([id]));
    expect(jobStates(id)).toMatchObject({ transcode: "waiting", ladder: "waiting" });

    const again = await untilWatchable(id);
    const { hls_url: second } = videoRow(id);
    expect(path.dirname(second!)).not.toBe(path.dirname(first!));
    const restarted = await playlist(beside(second, "240p.m3u8"));
    expect(restarted.segments.length).toBeGreaterThan(watched.segments.length);
    while (streamsOf(id).length > 1) await removeFiles();
    expect(await statusOf(first!)).toBe(404);
    again.task.resume();
    await again.ended;
    expect(videoRow(id).hls_url).toBe(second);
    expect((await playlist(beside(second, "240p.m3u8"))).endList).toBe(true);
  });

  it("is no longer offered if encoding fails", async () => {
    const id = await addHevc();
    sqliteHandle().exec("UPDATE jobs SET attempts = 2 WHERE kind = 'ladder'");
    const work = await untilWatchable(id);
    const { hls_url } = videoRow(id);
    killEncoder();
    await work.ended;
    expect(jobStates(id).ladder).toBe("failed");
    expect(videoRow(id)).toMatchObject({ hls_url: null, video_url: "" });
    await removeFiles();
    expect(streamsOf(id)).toEqual([]);
    expect(await statusOf(hls_url!)).toBe(404);
    expect(await listed()).toEqual([]);
  });

  it("lets the next video's encoding start as soon as it can be watched itself, but keeps its priority", async () => {
    const [first, second] = [await addHevc(), await addHevc()];
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind NOT IN ('transcode', 'ladder')");
    const runner = startRunner(1);
    await until(() => videoRow(second).hls_url !== null);
    const states = [first, second].map((id) => jobStates(id).ladder);
    expect(states).toEqual(["running", "running"]);
    expect(videoRow(first).hls_url).not.toBeNull();
    await runner.idle();
    await runner.stop();
    const ends = [first, second].map(
      (id) => jobRows(id).find(({ kind }) => kind === "ladder")!.finished_at!,
    );
    expect(ends).toEqual([...ends].sort());
    expect([first, second].map((id) => videoRow(id).video_url)).not.toContain("");
  });

  it("is left out of lists until it can be watched, unlike a row without any file", async () => {
    await addHevc(4);
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('b', 'B', 'desi')");
    for (const category of [undefined, "desi" as const]) {
      for (const view of [{ order: "newest" as const }, { order: "longest" as const }]) {
        const { videos, total } = await listPublished({ page: 1, view, category });
        expect([total, videos.map(({ id }) => id)]).toEqual([1, ["b"]]);
      }
      const { videos, total } = await listPublished({ page: 1, search: "phone", category });
      expect([total, videos]).toEqual([0, []]);
    }
  });
});

/** Kills the ffmpeg process that writes to this site's uploads. */
function killEncoder(): void {
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const file = `/proc/${pid}/cmdline`;
    const command = fs.existsSync(file) ? fs.readFileSync(file, "latin1") : "";
    const isOurs = command.startsWith("ffmpeg") && command.includes(site.uploads);
    if (isOurs) process.kill(Number(pid), "SIGKILL");
  }
}
