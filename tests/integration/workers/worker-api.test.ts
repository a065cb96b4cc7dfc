import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { claim, LEASE_MS } from "~/features/processing/queue/queue.server";
import { listWorkers, revokeWorker } from "~/features/processing/workers/workers.server";
import { loader as media } from "~/features/watch/routes/media";
import { encodeRenditions } from "~/media/encode/ladder.server";
import { createTask } from "~/media/encode/task.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, filesBelow, jobRows, videoRow } from "../../encode-library";
import { makeClip } from "../../media-clips";
import { moveToStore, useFolderStore } from "../../only-in-store";
import { insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import {
  callWorker,
  claimJob,
  createWorkerToken,
  digestsOf,
  type Files,
  sendPart,
  sendResult,
} from "../../workers/worker-requests";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "worker-api-"));
let source = "";
/** The files of a valid result. */
let made: Files = {};

async function makeFiles(file: string, name: string): Promise<Files> {
  const task = createTask(folder, () => {});
  fs.mkdirSync(path.join(folder, name));
  await encodeRenditions(file, (await probe(file))!, task, name, "urgent");
  const names = fs.readdirSync(path.join(folder, name));
  const bytes = (each: string) => new Uint8Array(fs.readFileSync(path.join(folder, name, each)));
  return Object.fromEntries(names.map((each) => [each, bytes(each)]));
}

beforeAll(async () => {
  if (!ffmpegAvailable()) return;
  source = makeClip(folder, "video", { seconds: 6, output: ["-movflags", "+faststart"] });
  const site = useTemporarySite();
  made = await makeFiles(source, "made");
  await site.remove();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

let site: ReturnType<typeof useTemporarySite>;
let owner: ReturnType<typeof insertUser>;
let token = "";
let video = "";
let errors: ReturnType<typeof vi.spyOn>;
beforeEach(async () => {
  site = useTemporarySite();
  errors = vi.spyOn(console, "error").mockImplementation(() => {});
  if (!source) return;
  owner = insertUser();
  token = await createWorkerToken(owner.id);
  video = await addToLibrary(site.uploads, source, true);
  // All jobs except the one for the stream are done.
  sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'ladder'");
});
afterEach(async () => {
  errors.mockRestore();
  await site.remove();
});

const ladder = () => jobRows(video).find(({ kind }) => kind === "ladder")!;
const left = () => filesBelow(path.join(site.uploads, "tmp"));
const detail = async (response: Response) => ((await response.json()) as { detail: string }).detail;
const endLeases = () =>
  sqliteHandle().exec(
    "UPDATE jobs SET lease_until = '2020-01-01T00:00:00.000Z' WHERE state = 'running'",
  );

/** Requests a lease's video, and returns only the status code. */
async function videoStatus(lease: string, given = token): Promise<number> {
  const response = await callWorker(`leases/${lease}/video`, given);
  await response.body?.cancel();
  return response.status;
}

async function mediaStatus(url: string): Promise<number> {
  const params = { "*": url.replace("/media/", "") };
  const request = new Request(ORIGIN + url);
  const response = (await media({ request, params, context: {} } as never)) as Response;
  await response.body?.cancel();
  return response.status;
}

describe.runIf(ffmpegAvailable())("a remote worker", () => {
  it("claims a job, reads its video, and uploads the encoded files, which are then published", async () => {
    const claimed = await claimJob(token);
    expect(ladder()).toMatchObject({ state: "running", attempts: 1, id: claimed.job });
    expect((await callWorker("jobs", token, { method: "POST" })).status).toBe(204);

    const whole = await callWorker(`leases/${claimed.lease}/video`, token);
    expect(Buffer.from(await whole.arrayBuffer()).equals(fs.readFileSync(source))).toBe(true);
    const part = await callWorker(`leases/${claimed.lease}/video`, token, {
      headers: { Range: "bytes=10-19" },
    });
    await part.body?.cancel();
    expect([part.status, part.headers.get("Content-Length")]).toEqual([206, "10"]);

    const beat = { method: "POST", json: { progress: 0.4, speed: 2.5, secondsLeft: 9 } };
    expect((await callWorker(`leases/${claimed.lease}`, token, beat)).status).toBe(200);
    const [listed] = await listWorkers();
    expect(listed).toMatchObject({
      ...{ name: "attic", jobsDone: 0, trouble: null },
      jobs: [{ label: "Streaming versions", title: "video.mp4", progress: 0.4, speed: 2.5 }],
    });

    expect((await sendResult(token, claimed.lease, made)).status).toBe(204);
    expect(ladder()).toMatchObject({ state: "done", attempts: 1, worker: null });
    const { hls_url } = videoRow(video);
    for (const name of ["master.m3u8", "180p.m3u8", "180p.mp4"]) {
      expect(await mediaStatus(path.posix.join(path.posix.dirname(hls_url!), name))).toBe(200);
    }
    expect(left()).toEqual([]);
    expect(await listWorkers()).toMatchObject([{ jobsDone: 1, jobs: [] }]);
  });

  it("resumes an interrupted upload after the last byte that the site has received", async () => {
    const { lease } = await claimJob(token);
    const [[name, bytes] = ["", new Uint8Array()]] = Object.entries(made);
    const half = Math.floor(bytes.length / 2);
    expect(await (await sendPart(token, lease, name, bytes.slice(0, half))).json()).toEqual({
      bytes: half,
    });
    const again = await sendPart(token, lease, name, bytes.slice(0, half));
    expect([again.status, again.headers.get("Upload-Offset")]).toEqual([409, String(half)]);
    expect((await sendPart(token, lease, name, bytes.slice(half), half)).status).toBe(200);
    const there = await callWorker(`leases/${lease}/files`, token);
    expect(await there.json()).toEqual({ [name]: bytes.length });
  });

  it("also provides a playable file for a video that browsers can't play", async () => {
    sqliteHandle()
      .prepare("UPDATE videos SET source_url = video_url, video_url = '' WHERE id = ?")
      .run(video);
    const { lease } = await claimJob(token);
    expect((await sendResult(token, lease, made)).status).toBe(204);
    expect(await mediaStatus(videoRow(video).video_url)).toBe(200);
  });

  it("is told that the queue is paused, and doesn't get a new job", async () => {
    const { lease } = await claimJob(token);
    sqliteHandle().exec("UPDATE queue_state SET paused_at = '2026-01-01T00:00:00.000Z'");
    const response = await callWorker(`leases/${lease}`, token, {
      ...{ method: "POST", json: { progress: 0.1 } },
    });
    expect(await response.json()).toMatchObject({ paused: true });
    expect((await callWorker("jobs", token, { method: "POST" })).status).toBe(204);
  });

  it("can return a job, which is then immediately available again and hasn't used up an attempt", async () => {
    const { lease } = await claimJob(token);
    expect((await callWorker(`leases/${lease}`, token, { method: "DELETE" })).status).toBe(204);
    expect(await claim()).toMatchObject({ kind: "ladder", attempts: 1 });
  });

  it("can report a temporary or a final failure", async () => {
    const first = await claimJob(token);
    const failure = { reason: "ffmpeg was killed by SIGKILL.", final: false };
    await callWorker(`leases/${first.lease}/failure`, token, { method: "POST", json: failure });
    expect(ladder()).toMatchObject({ state: "waiting", attempts: 1, reason: failure.reason });
    sqliteHandle().exec("UPDATE jobs SET run_after = '2020-01-01T00:00:00.000Z'");
    const second = await claimJob(token);
    const final = { reason: "This video is damaged.", final: true };
    await callWorker(`leases/${second.lease}/failure`, token, { method: "POST", json: final });
    expect(ladder()).toMatchObject({ state: "failed", reason: final.reason });
  });
});

describe.runIf(ffmpegAvailable())("an invalid result", () => {
  const invalidResults: [
    string,
    (files: Record<string, Uint8Array<ArrayBuffer>>) => unknown,
    RegExp,
  ][] = [
    [
      "a file that isn't a video",
      (files) => (files["180p.mp4"] = new Uint8Array(5_000)),
      /180p.*playable/,
    ],
    [
      "a truncated file",
      (files) => (files["180p.mp4"] = made["180p.mp4"]!.slice(0, 9_000)),
      /180p/,
    ],
    [
      "a video with noise in the middle",
      (files) => files["180p.mp4"]!.fill(170, 3_000, files["180p.mp4"]!.length - 100),
      /180p/,
    ],
    ["no video", (files) => delete files["180p.mp4"], /largest rendition/],
    ["no audio", (files) => delete files["audio-1.mp4"], /audio-1\.mp4 is missing/],
    [
      "audio instead of video",
      (files) => (files["180p.mp4"] = made["audio-1.mp4"]!),
      /isn't a playable video/,
    ],
    [
      "a resolution that the video doesn't have",
      (files) => (files["720p.mp4"] = made["180p.mp4"]!),
      /720p/,
    ],
  ];

  it.each(invalidResults)("is rejected: %s", async (_, corrupt, why) => {
    const files = Object.fromEntries(
      Object.entries(made).map(([name, bytes]) => [name, bytes.slice()]),
    );
    corrupt(files);
    const { lease } = await claimJob(token);
    const response = await sendResult(token, lease, files);
    expect(response.status).toBe(422);
    expect(await detail(response)).toMatch(why);
    expect(videoRow(video).hls_url).toBeNull();
    expect(ladder()).toMatchObject({ state: "waiting", attempts: 0, worker_losses: 1 });
    expect((await listWorkers())[0]?.trouble).toMatch(why);
    expect(left()).toEqual([]);
    expect(filesBelow(path.join(site.uploads, "videos"))).toHaveLength(1);
  });

  it("is rejected if a digest is wrong", async () => {
    const { lease } = await claimJob(token);
    const digests = { ...digestsOf(made), "180p.mp4": "0".repeat(64) };
    const response = await sendResult(token, lease, made, digests);
    expect([response.status, await detail(response)]).toEqual([
      ...[422, "The result was rejected: 180p.mp4 doesn't match its digest."],
    ]);
  });

  it("is rejected if its files are shorter than the video", async () => {
    const short = makeClip(folder, "short", { seconds: 3, output: ["-movflags", "+faststart"] });
    const files = await makeFiles(short, "made-short");
    const { lease } = await claimJob(token);
    const response = await sendResult(token, lease, files);
    expect([response.status, await detail(response)]).toEqual([
      422,
      expect.stringMatching(/shorter/),
    ]);
  });

  it.each(["master.m3u8", "180p.m3u8", "..%2f180p.mp4", "video.html"])(
    "can't contain a file named %s",
    async (name) => {
      const { lease } = await claimJob(token);
      const sent = await sendPart(token, lease, name, new TextEncoder().encode("#EXTM3U"));
      expect(sent.status).toBe(422);
      expect(left()).toEqual([]);
    },
  );

  it("fails the job after being rejected five times in a row", async () => {
    for (let time = 1; time <= 5; time++) {
      const { lease } = await claimJob(token);
      expect((await sendResult(token, lease, {})).status).toBe(422);
      sqliteHandle().exec("UPDATE jobs SET run_after = '2020-01-01T00:00:00.000Z'");
    }
    expect(ladder()).toMatchObject({
      ...{ state: "failed", worker: null },
      reason: expect.stringContaining("The result from worker “attic” was rejected"),
    });
  });
});

describe.runIf(ffmpegAvailable())("a result for a video that can't be read from the store", () => {
  /** Moves the video into a store without leaving a copy on the disk. */
  async function moveVideoIntoStore(): Promise<string> {
    const store = await useFolderStore(site.folder);
    const [source] = await moveToStore(store, video, [videoRow(video).video_url]);
    sqliteHandle().exec("UPDATE jobs SET state = 'waiting' WHERE kind = 'ladder'");
    return source!.object;
  }

  it.each<[string, (object: string) => void, number]>([
    ["is missing", (object) => fs.rmSync(object), 1],
    ["is damaged", (object) => fs.writeFileSync(object, Buffer.alloc(fs.statSync(object).size)), 1],
    [
      "is unavailable with its store",
      (object) => fs.renameSync(path.join(object, "../../.."), `${site.folder}/mounted`),
      0,
    ],
  ])(
    "counts as an attempt unless the store is unavailable: the object %s",
    async (_, damage, attempts) => {
      const object = await moveVideoIntoStore();
      const { lease } = await claimJob(token);
      damage(object);
      expect((await sendResult(token, lease, made)).status).toBeGreaterThanOrEqual(500);
      expect(ladder()).toMatchObject({ state: "waiting", attempts, worker: null });
      expect(left()).toEqual([]);
    },
  );
});

describe.runIf(ffmpegAvailable())("a lease", () => {
  it("makes its job available again when it expires, and then rejects late requests", async () => {
    const late = await claimJob(token);
    const [[name, bytes] = ["", new Uint8Array()]] = Object.entries(made);
    await sendPart(token, late.lease, name, bytes);
    endLeases();
    const other = await createWorkerToken(owner.id, "cellar");
    const claimed = await claimJob(other);
    expect(ladder()).toMatchObject({ attempts: 1, worker_losses: 1 });
    expect(left()).toEqual([]);

    for (const response of [
      await sendPart(token, late.lease, name, bytes),
      await callWorker(`leases/${late.lease}`, token, { method: "POST", json: { progress: 1 } }),
      await sendResult(token, late.lease, {}),
      await callWorker(`leases/${late.lease}`, token, { method: "DELETE" }),
    ]) {
      expect(response.status).toBe(409);
      expect(await detail(response)).toMatch(/no longer assigned to this worker/);
    }
    expect(await videoStatus(late.lease)).toBe(409);
    expect((await sendResult(other, claimed.lease, made)).status).toBe(204);
    expect(ladder().state).toBe("done");
    expect((await sendResult(other, claimed.lease, made)).status).toBe(409);
  });

  it("lasts two minutes and is extended by each heartbeat", async () => {
    const { lease } = await claimJob(token);
    expect(await claim(undefined, Date.now() + LEASE_MS + 1_000)).toBeUndefined();
    endLeases();
    const beat = { method: "POST", json: { progress: 0.2 } };
    expect((await callWorker(`leases/${lease}`, token, beat)).status).toBe(200);
    expect(await claim(undefined, Date.now() + 110_000)).toBeUndefined();
    expect(await claim(undefined, Date.now() + 130_000)).toMatchObject({ kind: "ladder" });
  });

  it("fails the job after being lost five times in a row", async () => {
    for (let time = 1; time <= 5; time++) {
      await claimJob(token);
      endLeases();
    }
    expect(await claim()).toBeUndefined();
    expect(ladder()).toMatchObject({
      ...{ state: "failed", reason: "5 workers were lost while running this job." },
    });
  });

  it("can't be used by another worker", async () => {
    const { lease } = await claimJob(token);
    const other = await createWorkerToken(owner.id, "cellar");
    expect((await callWorker(`leases/${lease}`, other, { method: "DELETE" })).status).toBe(409);
    expect(await videoStatus(lease)).toBe(200);
    expect(await videoStatus(lease, other)).toBe(409);
    expect(await videoStatus(lease, "")).toBe(401);
    expect(ladder().state).toBe("running");
  });

  it("ends when the worker is revoked, and the job returns to the queue", async () => {
    const { lease } = await claimJob(token);
    const [[name, bytes] = ["", new Uint8Array()]] = Object.entries(made);
    await sendPart(token, lease, name, bytes);
    const [{ id } = { id: 0 }] = await listWorkers();
    expect(await revokeWorker(owner.id, id)).toBe(true);
    expect(ladder()).toMatchObject({ state: "waiting", attempts: 0, worker: null });
    expect((await sendPart(token, lease, name, bytes)).status).toBe(401);
    expect(left()).toEqual([]);
  });

  it("ends when its video is deleted", async () => {
    const claimed = await claimJob(token);
    sqliteHandle().prepare("DELETE FROM videos WHERE id = ?").run(video);
    expect(await videoStatus(claimed.lease)).toBe(409);
    expect((await sendResult(token, claimed.lease, made)).status).toBe(409);
    expect(left()).toEqual([]);
  });

  it("continues if its video is hidden, but the result isn't public", async () => {
    const claimed = await claimJob(token);
    sqliteHandle().prepare("UPDATE videos SET status = 'hidden' WHERE id = ?").run(video);
    expect(await videoStatus(claimed.lease)).toBe(200);
    expect((await sendResult(token, claimed.lease, made)).status).toBe(204);
    expect(await mediaStatus(videoRow(video).hls_url!)).toBe(404);
  });
});

describe("an invalid request", () => {
  it("is rejected with a matching status code and a message", async () => {
    const user = insertUser("other@example.com");
    const worker = await createWorkerToken(user.id, "barn");
    const status = async (path: string, given: string | undefined, sent = {}) => {
      const response = await callWorker(path, given, sent);
      expect(await detail(response)).toMatch(/\w{3}.*\.$/s);
      return response.status;
    };
    const post = { method: "POST" };
    expect(await status("jobs", undefined, post)).toBe(401);
    expect(await status("jobs", `${worker}x`, post)).toBe(401);
    expect(await status("jobs", "afterdark_something", post)).toBe(401);
    expect(await status("jobs", worker)).toBe(405);
    expect(await status("nothing", worker)).toBe(404);
    expect(await status("leases/x", worker, post)).toBe(409);
  });

  it.runIf(ffmpegAvailable())("changes nothing if its body is invalid", async () => {
    const { lease } = await claimJob(token);
    const send = async (path: string, sent: object) =>
      (await callWorker(`leases/${lease}${path}`, token, { method: "POST", ...sent })).status;
    expect(await send("", { body: "{" })).toBe(400);
    expect(await send("", { json: { progress: 2 } })).toBe(422);
    expect(await send("/result", { json: { files: { "180p.mp4": "short" } } })).toBe(422);
    expect(await send("/failure", { json: { reason: "" } })).toBe(422);
    expect(await send("/nothing", { json: {} })).toBe(404);
    expect(await send("/result", { body: "x".repeat(70_000) })).toBe(413);
    const unsaid = { method: "PUT", body: "x" };
    expect((await callWorker(`leases/${lease}/files/180p.mp4`, token, unsaid)).status).toBe(400);
    expect(ladder().state).toBe("running");
  });
});
