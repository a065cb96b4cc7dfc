import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withFrame } from "~/features/library/edit/frames.server";
import { trimVideo } from "~/features/library/files/trim.server";
import { type MediaName, parseMediaUrl } from "~/media/bucket.server";
import { decodeFrames } from "~/media/encode/count-frames.server";
import { createTask } from "~/media/encode/task.server";
import { withReadableFile } from "~/media/files/local-copies.server";
import { ffmpegAvailable, inputArguments, run } from "~/media/probe/ffmpeg.server";
import { cachedProbe, probe } from "~/media/probe/probe.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import {
  addProcessed,
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  onlyJobs,
  videoRow,
  workUntilIdle,
} from "../../encode-library";
import { type Clip, makeClip } from "../../media-clips";
import { moveToStore, useFolderStore } from "../../only-in-store";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

/** The reader needs several blocks to read this file, whose index is at the end. */
const CLIP = { seconds: 4, video: ["mpeg4", "-qscale:v", "1", "-g", "25"], size: "1280x720" };
const FRAMES = 100;
const SHORT_CLIP: Clip = {
  seconds: 2,
  extension: "mkv",
  video: ["mpeg4", "-qscale:v", "1"],
  audio: false,
};
const SHORT_FRAMES = 50;
/** The size of a cache that is too small for a copy. */
const SMALL_CACHE = "100000";

let site: ReturnType<typeof useTemporarySite>;
let store: string;
let logged: ReturnType<typeof vi.spyOn>;

beforeEach(async () => {
  site = useTemporarySite();
  store = await useFolderStore(site.folder);
  logged = vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(async () => {
  logged.mockRestore();
  await site.remove();
});

function set(environment: Record<string, string>): void {
  Object.assign(process.env, environment);
  forgetSettings();
}

/** Adds a video whose file is only in the store, with queued jobs. */
async function addStored(clip: string, playable = false) {
  const id = await addToLibrary(site.uploads, clip, playable);
  const { video_url, source_url } = videoRow(id);
  const [stored] = await moveToStore(store, id, [source_url ?? video_url]);
  sqliteHandle().exec("UPDATE jobs SET state = 'waiting', attempts = 0");
  return { id, ...stored! };
}

const byRange = <T>(file: string, work: () => Promise<T>) =>
  withReadableFile(file, work, { fetchCopy: false });

async function framesOf(file: string): Promise<number | undefined> {
  const folder = fs.mkdtempSync(path.join(site.folder, "task-"));
  const streams = { durationSeconds: 4, video: 0, audio: [] };
  return decodeFrames(
    createTask(folder, () => {}),
    file,
    streams,
  );
}

describe.runIf(ffmpegAvailable())("a stored file that is read by range", () => {
  // The index of the MP4 is at the end of the file, and an MPEG file is read completely.
  it.each(["avi", "mp4", "mpg"])("is probed and decoded like the file itself (%s)", async (as) => {
    const video = as === "mpg" ? ["mpeg2video", "-qscale:v", "1"] : CLIP.video;
    const audio = as === "mpg" ? ["mp2"] : ["aac"];
    const clip = makeClip(site.folder, "clip", { ...CLIP, extension: as, video, audio });
    expect(fs.statSync(clip).size).toBeGreaterThan(5 * 1024 ** 2);
    const { file } = await addStored(clip);
    const local = await probe(clip);
    const [ranged, frames] = await byRange(file, async () => [
      await probe(file),
      await framesOf(file),
    ]);
    expect(ranged).toEqual(local);
    expect(frames).toBe(await framesOf(clip));
    expect(filesBelow(path.join(site.uploads, "videos"))).toEqual([]);
  });

  it("is available at a secret URL that is valid only while the file is in use", async () => {
    const { file } = await addStored(makeClip(site.folder, "clip", { extension: "avi" }));
    const bytes = fs.readFileSync(path.join(site.folder, "clip.avi"));
    const address = await byRange(file, async () => {
      const address = inputArguments(file).at(-1)!;
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
      const whole = await fetch(address);
      expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
      const part = await fetch(address, { headers: { Range: "bytes=10-19" } });
      expect(part.headers.get("Content-Range")).toBe(`bytes 10-19/${bytes.length}`);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
      const behind = { headers: { Range: `bytes=${bytes.length}-` } };
      expect((await fetch(address, behind)).status).toBe(416);
      for (const other of ["/", "/x", address.slice(0, -1), `${address}0`]) {
        expect((await fetch(new URL(other, address))).status).toBe(404);
      }
      return address;
    });
    await expect(fetch(address)).rejects.toThrow();
    expect(inputArguments(file).at(-1)).toBe(`file:${file}`);
  });

  it.each<[string, (object: string) => void]>([
    ["missing", (object) => fs.rmSync(object)],
    ["damaged", (object) => fs.truncateSync(object, 3 * 1024 ** 2)],
  ])("fails if the object is %s, even if ffmpeg succeeds", async (failure, damage) => {
    const clip = makeClip(site.folder, "clip", { ...CLIP, extension: "avi" });
    const { file, object } = await addStored(clip);
    const decoded = byRange(file, async () => {
      damage(object);
      await run("ffmpeg", [...inputArguments(file), "-f", "null", "-"], {
        seconds: 20,
        cpuSeconds: 20,
      });
      return "a result of half of the video";
    });
    await expect(decoded).rejects.toMatchObject({ failure });
    await expect(byRange(file, () => probe(file))).rejects.toMatchObject({ failure });
  });

  it("is probed again after a store failure, and then has its full duration", async () => {
    const video = ["mpeg2video", "-qscale:v", "1"];
    const clip = makeClip(site.folder, "clip", {
      ...CLIP,
      extension: "mpg",
      video,
      audio: ["mp2"],
    });
    const { file, object } = await addStored(clip);
    const whole = fs.readFileSync(object);
    fs.truncateSync(object, 3 * 1024 ** 2);
    await expect(byRange(file, () => cachedProbe(file))).rejects.toMatchObject({
      failure: "damaged",
    });
    fs.writeFileSync(object, whole);
    const { durationSeconds } = await byRange(file, () => cachedProbe(file));
    expect(durationSeconds).toBeCloseTo((await cachedProbe(clip)).durationSeconds, 3);
  });

  it("is read by range only in the task that requested it", async () => {
    const { file } = await addStored(makeClip(site.folder, "clip", { extension: "avi" }));
    const addressOf = () => inputArguments(file).at(-1);
    let end = () => {};
    const first = byRange(file, async () => {
      await new Promise<void>((next) => {
        end = next;
      });
      return addressOf();
    });
    const second = await byRange(file, async () => addressOf());
    expect(addressOf()).toBe(`file:${file}`);
    end();
    expect(await first).toMatch(/^http:/);
    expect(await first).not.toBe(second);
  });

  it("can be read by several processes concurrently", async () => {
    const clip = makeClip(site.folder, "clip", { ...CLIP, extension: "avi" });
    const { file } = await addStored(clip);
    const counts = await Promise.all([1, 2, 3].map(() => byRange(file, () => framesOf(file))));
    expect(counts).toEqual([FRAMES, FRAMES, FRAMES]);
  });
});

describe.runIf(ffmpegAvailable())("jobs for a video whose file is only in the store", () => {
  /** Runs the queue, and returns whether it created a local copy of a file. */
  async function fetchedByJobs(file: string): Promise<boolean> {
    let isFetched = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const watcher = fs.watch(path.dirname(file), (_, name) => {
      isFetched ||= name === path.basename(file);
    });
    await workUntilIdle();
    watcher.close();
    return isFetched;
  }

  it("fetch the file if the cache has space for it", async () => {
    const { id, file } = await addStored(makeClip(site.folder, "clip", SHORT_CLIP));
    onlyJobs("loudness");
    expect(await fetchedByJobs(file)).toBe(true);
    expect(jobRows(id).find(({ kind }) => kind === "loudness")?.state).toBe("done");
  });

  it("wait while the store doesn't respond, and read the file by range if the cache is too small", async () => {
    set({ STORAGE_CACHE_BYTES: SMALL_CACHE });
    const { id, file } = await addStored(makeClip(site.folder, "clip", SHORT_CLIP));
    fs.renameSync(store, `${store}-mounted`);
    await workUntilIdle();
    const waiting = jobRows(id).filter(({ state }) => state === "waiting");
    expect(waiting.length).toBeGreaterThan(0);
    for (const { attempts, reason } of waiting) expect([attempts, reason]).toEqual([0, null]);

    fs.renameSync(`${store}-mounted`, store);
    sqliteHandle().exec("UPDATE jobs SET run_after = '2000-01-01T00:00:00.000Z'");
    expect(await fetchedByJobs(file)).toBe(false);
    expect(new Set(jobRows(id).map(({ state }) => state))).toEqual(new Set(["done"]));
    const { video_url, hls_url, storyboard_url, thumbnail_url, preview_url } = videoRow(id);
    for (const url of [video_url, hls_url, storyboard_url, thumbnail_url, preview_url]) {
      expect(url).toMatch(/^\/media\//);
    }
    const { bucket, path: name } = parseMediaUrl(video_url) as MediaName;
    expect(await framesOf(path.join(site.uploads, bucket, name))).toBe(SHORT_FRAMES);
  }, 120_000);
});

describe.runIf(ffmpegAvailable())("a captions job that may remove the original", () => {
  it("reads both the original and the playable file by range", async () => {
    set({ STORAGE_CACHE_BYTES: "0", KEEP_SOURCES: "never" });
    const id = addProcessed(site.uploads, "converted");
    const { video_url, source_url } = videoRow(id);
    await moveToStore(store, id, [video_url, source_url!]);
    sqliteHandle().exec("UPDATE jobs SET state = 'waiting', attempts = 0 WHERE kind = 'captions'");
    await workUntilIdle();
    expect(jobRows(id).find(({ kind }) => kind === "captions")).toMatchObject({
      state: "done",
      reason: null,
    });
    expect(fs.existsSync(diskPath(site.uploads, video_url))).toBe(false);
  });
});

describe.runIf(ffmpegAvailable())("the studio, for a video whose file is only in the store", () => {
  it("extracts a frame and starts a trim without fetching the whole file", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const { id, file } = await addStored(clip, true);
    sqliteHandle().exec("UPDATE jobs SET state = 'done'");
    await withFrame(id, "0:01", "u", async (frame) => {
      expect(fs.statSync(frame.path).size).toBeGreaterThan(1_000);
    });
    const cut = await trimVideo({ id, start: "0:00", end: "0:01" }, insertUser().id);
    expect(cut).toMatchObject({ kind: "success" });
    expect(fs.existsSync(file)).toBe(false);
  });
});
