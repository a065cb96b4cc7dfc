import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listDeletions } from "~/features/library/trash/recent-deletions.server";
import { createJobChanger } from "~/features/processing/queue/change-jobs.server";
import { enqueueJobs } from "~/features/processing/queue/enqueue.server";
import {
  claim,
  fail,
  hasLease,
  heartbeat,
  ownWorker,
  retryFailedJobs,
  returnToQueue,
} from "~/features/processing/queue/queue.server";
import { jobsChanged, setQueuePaused } from "~/features/processing/queue/queue-state.server";
import { jobSummaries, queueView } from "~/features/processing/queue/summaries.server";
import {
  beginWork,
  type Runner,
  recordFailure,
  startRunner,
} from "~/features/processing/queue/worker.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreDeletion } from "~/features/trash/restore.server";
import { parseMediaUrl } from "~/media/bucket.server";
import { createTask, runFfmpeg } from "~/media/encode/task.server";
import { REFERENCES_SQL } from "~/media/files/references.server";
import { announceFiles, removeFiles } from "~/media/files/removals.server";
import { recordFile } from "~/media/media-files.server";
import { ffmpegAvailable, InterruptedError, inputArguments } from "~/media/probe/ffmpeg.server";
import { database, sqliteHandle, transaction } from "~db/client.server";
import { DatabaseBusyError } from "~db/write-lock";
import { command } from "../../command";
import {
  addProcessed,
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
import { slowFfmpeg } from "../../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
let children: ChildProcess[] = [];
let runners: Runner[] = [];
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(async () => {
  // Stop the runners even after a failed test, because a runner that keeps running would take the next test's jobs.
  await Promise.all(runners.map((runner) => runner.stop()));
  runners = [];
  for (const child of children) child.kill("SIGKILL");
  children = [];
  await site.remove();
});

async function addVideo(title = "A video"): Promise<string> {
  const { id } = await database()
    .insertInto("videos")
    .values({ title, category: "desi", video_url: "/media/videos/u/1.mp4" })
    .returning("id")
    .executeTakeFirstOrThrow();
  await transaction(() => enqueueJobs([id]));
  return id;
}

/** Starts a runner that is stopped after its test. */
function startWork(): Runner {
  const runner = startRunner(1);
  runners.push(runner);
  return runner;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((next) => setTimeout(next, 20));
}

const allDone = (id: string) =>
  jobRows(id).every(({ state, kind }) => state === "done" || kind === "cleanup");

/** Returns a long clip of static video, which can be generated quickly. */
function longClip(name: string, seconds: number, as = "mp4", video = ["libx264"]): string {
  return makeClip(site.folder, name, {
    extension: as,
    videoSource: `testsrc2=size=320x180:rate=30:duration=${seconds}`,
    video: [...video, ...(video[0] === "libx264" ? ["-preset", "ultrafast"] : [])],
    audio: false,
    output: as === "mp4" ? ["-pix_fmt", "yuv420p", "-movflags", "+faststart"] : [],
  });
}

describe.runIf(ffmpegAvailable())("the queue", () => {
  it("makes a new video playable before it runs other jobs for that video or for older videos", async () => {
    const [a, b] = [await addVideo("a"), await addVideo("b")];
    const first = (await claim())!;
    const second = (await claim())!;
    expect([first, second].map(({ video_id, kind }) => [video_id, kind])).toEqual([
      [a, "transcode"],
      [b, "transcode"],
    ]);
    expect(await claim()).toBeUndefined();
    sqliteHandle().exec(`UPDATE jobs SET state = 'done' WHERE id = ${second.id}`);
    const kinds = ["captions", "poster", "storyboard", "preview", "loudness", "ladder"];
    const rest = [];
    while (rest.length < kinds.length) rest.push(await claim());
    expect(rest.map((job) => [job?.video_id, job?.kind])).toEqual(kinds.map((kind) => [b, kind]));
  });

  it("enqueues a video's jobs only once, and doesn't enqueue any for videos that another tool has inserted", async () => {
    const id = await addVideo();
    await transaction(() => enqueueJobs([id]));
    sqliteHandle().exec("INSERT INTO videos (title, category) VALUES ('B', 'desi')");
    expect(sqliteHandle().prepare("SELECT count(*) FROM jobs").pluck().get()).toBe(8);
  });

  it("retries a job with increasing delays, gives up after three failures, and reports the reason", async () => {
    const id = await addVideo("Broken");
    for (const seconds of [30, 120, undefined]) {
      const job = (await claim(undefined, Date.now() + 10 * 60_000))!;
      expect(job.kind).toBe("transcode");
      await fail(job, "The file is damaged.");
      const { state, run_after } = jobRows(id)[0]!;
      if (seconds === undefined) expect(state).toBe("failed");
      else expect((Date.parse(run_after) - Date.now()) / 1_000).toBeCloseTo(seconds, -1);
    }
    expect(await claim(undefined, Date.now() + 3_600_000)).toBeUndefined();
    const summary = (await jobSummaries([id]))[id]!;
    expect(summary.failed).toMatchObject([{ reason: "The file is damaged.", title: "Broken" }]);
    expect((await queueView()).failed).toHaveLength(1);
    expect(await retryFailedJobs(summary.failed[0]!.id)).toBe(1);
    expect(await claim()).toMatchObject({ kind: "transcode", attempts: 1 });
  });

  it("reassigns a job whose worker doesn't send a heartbeat, and doesn't count a returned job as an attempt", async () => {
    const id = await addVideo();
    const job = (await claim())!;
    sqliteHandle().exec("UPDATE jobs SET worker = 'elsewhere/1/1'");
    expect(await claim(undefined, Date.now() + 29_000)).toBeUndefined();
    expect(await claim(undefined, Date.now() + 31_000)).toMatchObject({ id: job.id, attempts: 2 });
    await returnToQueue(job);
    expect(jobRows(id)[0]).toMatchObject({ state: "waiting", attempts: 1, worker: null });
  });

  it("gives up on a job that crashes the site", async () => {
    const id = await addVideo();
    await claim();
    sqliteHandle().exec("UPDATE jobs SET attempts = 5 WHERE state = 'running'");
    expect(await claim(undefined, Date.now() + 60_000)).toBeUndefined();
    expect(jobRows(id)[0]).toMatchObject({
      state: "failed",
      reason: /stopped unexpectedly 5 times/,
    });
  });

  it("deletes a video's jobs, whichever tool deletes the video", async () => {
    const id = await addVideo();
    const job = (await claim())!;
    expect(hasLease(job)).toBe(true);
    execFileSync("sqlite3", [sqliteHandle().name, `DELETE FROM videos WHERE id = '${id}'`]);
    expect(hasLease(job)).toBe(false);
    expect(jobRows(id)).toEqual([]);
  });

  it("waits while the disk is nearly full, reports it, and resumes automatically", async () => {
    await site.remove();
    site = useTemporarySite({ ENCODER_FREE_BYTES: String(2 ** 52) });
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const id = await addVideo();
    await workUntilIdle();
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/disk is almost full/));
    warn.mockRestore();
    expect(await queueView()).toMatchObject({ diskFull: true, waitingCount: 7 });
    expect(jobRows(id)[0]).toMatchObject({ attempts: 0, state: "waiting" });
  });

  it("reports why a file can't be used, and continues with the next file", async () => {
    const broken = path.join(site.folder, "broken.mp4");
    fs.writeFileSync(broken, "no video at all");
    const bad = await addToLibrary(site.uploads, broken, true);
    const good = await addToLibrary(site.uploads, makeClip(site.folder, "good"), true);
    onlyJobs("transcode");
    await workUntilIdle();
    expect(jobRows(bad)[0]).toMatchObject({ state: "failed", reason: /supported video/ });
    expect(allDone(good)).toBe(true);
  });
});

describe.runIf(ffmpegAvailable())("the queue after a clock change", () => {
  const DAY = 24 * 3_600_000;

  it("runs jobs that were enqueued while the clock was a day ahead", async () => {
    const id = await addVideo();
    expect(await claim(undefined, Date.now() - DAY)).toMatchObject({
      video_id: id,
      kind: "transcode",
    });
  });

  it("retries jobs that failed while the clock was a day ahead", async () => {
    await addVideo();
    await fail((await claim())!, "The file is damaged.");
    expect(await claim()).toBeUndefined();
    expect(await claim(undefined, Date.now() - DAY)).toMatchObject({
      kind: "transcode",
      attempts: 2,
    });
  });

  it("lets a lease expire within a normal lease period if it was granted while the clock was a day ahead", async () => {
    await addVideo();
    const job = (await claim(undefined, Date.now() + DAY))!;
    sqliteHandle().exec("UPDATE jobs SET worker = 'elsewhere/1/1' WHERE state = 'running'");
    expect(await claim()).toBeUndefined();
    expect(await claim(undefined, Date.now() + 31_000)).toMatchObject({ id: job.id, attempts: 2 });
  });

  it("delays the cleanup by exactly the configured number of hours", async () => {
    const id = await addVideo();
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'cleanup'");
    expect(await claim()).toBeUndefined();
    expect(await claim(undefined, Date.now() + 5 * 3_600_000)).toBeUndefined();
    expect(await claim(undefined, Date.now() + 7 * 3_600_000)).toMatchObject({ video_id: id });
  });
});

describe.runIf(ffmpegAvailable())("the queue while another process is writing", () => {
  it("doesn't start jobs, fail jobs or count attempts, and resumes when the lock is released", async () => {
    const id = await addToLibrary(site.uploads, makeClip(site.folder, "clip"), true);
    const name = parseMediaUrl(videoRow(id).video_url)!;
    // Record the file now, because recording it during the job would wait for the lock.
    await recordFile({ ...name, videoId: id, kind: "video", isClean: true });
    onlyJobs("transcode");
    const other = new Sqlite(sqliteHandle().name);
    sqliteHandle().pragma("busy_timeout = 0");
    other.exec("BEGIN IMMEDIATE");
    await expect(claim()).rejects.toBeInstanceOf(DatabaseBusyError);
    other.exec("COMMIT");

    const job = (await claim())!;
    other.exec("BEGIN IMMEDIATE");
    expect(heartbeat(job, { progress: 0.5 })).toBe(true);
    const work = beginWork(job);
    const made = () => filesBelow(site.uploads).some((name) => name.includes("original-"));
    await until(made);
    expect(jobRows(id)[0]).toMatchObject({ state: "running", attempts: 1, reason: null });
    other.exec("COMMIT");
    other.close();
    await work.ended;
    expect(jobRows(id)[0]).toMatchObject({ state: "done", attempts: 1, reason: null });
    expect(videoRow(id).source_url).toContain("/original-");
  });

  it("doesn't count an attempt whose result couldn't be written because of the lock", async () => {
    const id = await addVideo();
    const job = (await claim())!;
    expect(jobRows(id)[0]).toMatchObject({ state: "running", attempts: 1 });
    await recordFailure(job, new DatabaseBusyError(undefined), false, false);
    expect(jobRows(id)[0]).toMatchObject({ state: "waiting", attempts: 0, reason: null });
  });
});

describe.runIf(ffmpegAvailable())("a video that is restored from the trash", () => {
  it("gets jobs for missing files in the same transaction, and is processed completely", async () => {
    const avi = makeClip(site.folder, "clip", { extension: "avi", video: ["mpeg4"] });
    const id = await addToLibrary(site.uploads, avi, false);
    await removeVideos([id], "u");
    expect(jobRows(id)).toEqual([]);
    await restoreDeletion((await listDeletions())[0]!.batch, "u");
    expect(jobRows(id)).toHaveLength(8);
    onlyJobs("transcode", "ladder");
    await workUntilIdle();
    expect(videoRow(id).video_url).toMatch(/\.mp4$/);
    expect(allDone(id)).toBe(true);
  });

  it("isn't encoded again if no files were missing", async () => {
    const id = addProcessed(site.uploads, "counting");
    const before = videoRow(id);
    await removeVideos([id], "u");
    await restoreDeletion((await listDeletions())[0]!.batch, "u");
    // The video is compared with other videos again, but nothing is encoded.
    expect(Object.keys(jobStates(id))).toEqual(["fingerprint", "cleanup"]);
    await workUntilIdle();
    const { bytes: _, ...rest } = videoRow(id);
    expect(before).toMatchObject(rest);
  });
});

describe.runIf(ffmpegAvailable())("finishing a job", () => {
  it("reads only the rows for the job's file, and keeps files that another row refers to", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    const id = await addToLibrary(site.uploads, clip, true);
    const only = (kind: string) =>
      sqliteHandle().exec(
        `UPDATE jobs SET state = CASE kind WHEN '${kind}' THEN 'waiting' ELSE 'done' END`,
      );
    only("preview");
    await workUntilIdle();
    const first = videoRow(id).preview_url!;
    const plan = sqliteHandle()
      .prepare(`EXPLAIN QUERY PLAN ${REFERENCES_SQL}`)
      .all({ base: "a", video: "b", thumbnail: "c" }) as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join("\n")).not.toMatch(/SCAN videos/);
    sqliteHandle()
      .prepare(
        "INSERT INTO videos (id, title, category, video_url, preview_url) VALUES ('twin', 'Twin', 'desi', ?, ?)",
      )
      .run(videoRow(id).video_url, first);
    for (const twin of [true, false]) {
      if (!twin) sqliteHandle().exec("DELETE FROM videos WHERE id = 'twin'");
      only("preview");
      await workUntilIdle();
      expect(videoRow(id).preview_url).not.toBe(first);
      expect(fs.existsSync(diskPath(site.uploads, first))).toBe(twin);
    }
  });
});

describe.runIf(ffmpegAvailable())("a job result whose name is already used", () => {
  const VIDEO = "/media/videos/u/holiday.avi";
  const OTHER = "/media/videos/u/holiday.mp4";
  const converts = async () => {
    await transaction(() => enqueueJobs(["avi"], ["ladder"]));
    jobsChanged("work");
    await workUntilIdle();
    return jobRows("avi")[0]!;
  };
  beforeEach(() => {
    const avi = makeClip(site.folder, "clip", { extension: "avi" });
    fs.mkdirSync(path.dirname(diskPath(site.uploads, VIDEO)), { recursive: true });
    fs.copyFileSync(avi, diskPath(site.uploads, VIDEO));
    sqliteHandle()
      .prepare(
        "INSERT INTO videos (id, title, category, source_url, video_url) VALUES (?, ?, ?, ?, '')",
      )
      .run("avi", "Holiday", "desi", VIDEO);
  });

  it("is not stored over another video's file", async () => {
    fs.writeFileSync(diskPath(site.uploads, OTHER), "another video");
    sqliteHandle()
      .prepare("INSERT INTO videos (id, title, category, video_url) VALUES (?, ?, ?, ?)")
      .run("mp4", "Another", "desi", OTHER);
    expect(await converts()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("belongs to another video"),
    });
    expect(fs.readFileSync(diskPath(site.uploads, OTHER), "utf8")).toBe("another video");
  });

  it("is not stored over a file whose row hasn't been written yet", async () => {
    fs.writeFileSync(diskPath(site.uploads, OTHER), "copied an hour ago");
    expect(await converts()).toMatchObject({ state: "failed" });
    await removeFiles(Date.now() + 30 * 86_400_000);
    expect(fs.readFileSync(diskPath(site.uploads, OTHER), "utf8")).toBe("copied an hour ago");
  });

  it("replaces the file left by an attempt that was killed before it wrote the row", async () => {
    fs.writeFileSync(diskPath(site.uploads, OTHER), "of the first attempt");
    await announceFiles([{ bucket: "videos", path: "u/holiday.mp4" }]);
    expect(await converts()).toMatchObject({ state: "done" });
    expect(videoRow("avi").video_url).toBe(OTHER);
    expect(fs.statSync(diskPath(site.uploads, OTHER)).size).toBeGreaterThan(1_000);
    await removeFiles(Date.now() + 30 * 86_400_000);
    expect(fs.existsSync(diskPath(site.uploads, OTHER))).toBe(true);
  });
});

describe.runIf(ffmpegAvailable())("interrupted jobs", () => {
  it("keep edits that were made in the meantime", async () => {
    const id = await addToLibrary(site.uploads, makeClip(site.folder, "clip"), true);
    onlyJobs("transcode", "poster", "storyboard");
    const runner = startWork();
    await until(() => jobStates(id).poster === "done");
    sqliteHandle().exec(
      "UPDATE videos SET title = 'Edited', updated_at = '2030', tags = '[\"a\"]'",
    );
    await runner.idle();
    await runner.stop();
    expect(allDone(id)).toBe(true);
    expect(videoRow(id)).toMatchObject({ title: "Edited", updated_at: "2030", tags: '["a"]' });
  });

  it("stop without leaving files when their video is deleted", async () => {
    const id = await addToLibrary(site.uploads, longClip("long", 60), true);
    onlyJobs("ladder");
    process.env.PATH = slowFfmpeg(site.folder);
    const file = videoRow(id).video_url;
    const runner = startWork();
    await until(() => jobRows(id).some(({ progress }) => progress > 0));
    sqliteHandle().prepare("DELETE FROM videos WHERE id = ?").run(id);
    await runner.idle();
    await runner.stop();
    expect(filesBelow(site.uploads)).toEqual([file.replace("/media/", "")]);
  });

  it("pause for a new video's first rendition, and resume afterward", async () => {
    const old = await addToLibrary(site.uploads, longClip("old", 12), true);
    onlyJobs("ladder");
    process.env.PATH = slowFfmpeg(site.folder, 4);
    const arriving = longClip("new", 2, "avi", ["mpeg4"]);
    const runner = startWork();
    await until(() => jobRows(old).some(({ progress }) => progress > 0));
    const recent = await addToLibrary(site.uploads, arriving, false);
    sqliteHandle()
      .prepare(
        "UPDATE jobs SET state = 'done' WHERE video_id = ? AND kind NOT IN ('transcode', 'ladder')",
      )
      .run(recent);
    await until(() => videoRow(recent).video_url !== "");
    expect(jobStates(old).ladder).toBe("running");
    await runner.idle();
    await runner.stop();
    expect([allDone(old), allDone(recent)]).toEqual([true, true]);
    expect(jobRows(old).map(({ attempts }) => Math.max(attempts, 1))).not.toContain(2);
  });

  it("aren't treated as finished if the queue can't be read", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    sqliteHandle().exec("DROP INDEX jobs_unfinished");
    const runner = startWork();
    await expect(runner.idle()).rejects.toThrow("no such index: jobs_unfinished");
    await runner.stop();
  });

  it("pause and resume with the queue, and can be stopped while they are paused", async () => {
    const id = await addToLibrary(site.uploads, longClip("long", 60), true);
    onlyJobs("ladder");
    process.env.PATH = slowFfmpeg(site.folder);
    const runner = startWork();
    await until(() => jobRows(id).some(({ progress }) => progress > 0));
    await setQueuePaused(true);
    await until(() => ffmpegsIn(site.folder).every((pid) => stateOf(pid) === "T"));
    expect(ffmpegsIn(site.folder)).not.toEqual([]);
    expect(jobStates(id).ladder).toBe("running");
    await setQueuePaused(false);
    await until(() => ffmpegsIn(site.folder).every((pid) => stateOf(pid) !== "T"));
    await setQueuePaused(true);
    await runner.stop();
    expect(ffmpegsIn(site.folder)).toEqual([]);
    expect(jobRows(id).find(({ kind }) => kind === "ladder")).toMatchObject({
      state: "waiting",
      attempts: 0,
    });
    await workUntilIdle();
    expect(jobStates(id).ladder).toBe("waiting");
  });

  it("yield to a job that is moved to the front, as they do to new videos", async () => {
    const old = await addToLibrary(site.uploads, longClip("old", 60), true);
    const wanted = await addToLibrary(site.uploads, longClip("wanted", 12), true);
    const arriving = longClip("new", 2);
    onlyJobs("ladder");
    process.env.PATH = slowFfmpeg(site.folder, 4);
    const runner = startWork();
    await until(() => jobRows(old).some(({ progress }) => progress > 0));
    sqliteHandle()
      .prepare("UPDATE jobs SET priority = -60 WHERE video_id = ? AND kind = 'ladder'")
      .run(wanted);
    jobsChanged("work");
    await until(() => jobStates(wanted).ladder === "running");
    const recent = await addToLibrary(site.uploads, arriving, true);
    await until(() => jobRows(recent).some(({ started_at }) => started_at));
    const { finished_at } = jobRows(wanted).find(({ kind }) => kind === "ladder")!;
    const { started_at } = jobRows(recent).find(({ kind }) => kind === "transcode")!;
    expect(Date.parse(started_at!)).toBeGreaterThanOrEqual(Date.parse(finished_at!));
    expect(jobStates(old).ladder).toBe("running");
    await runner.stop();
  });

  it("stop when they are moved to the back, and another job starts", async () => {
    const first = await addToLibrary(site.uploads, longClip("first", 60), true);
    const second = await addToLibrary(site.uploads, longClip("second", 60), true);
    onlyJobs("ladder");
    process.env.PATH = slowFfmpeg(site.folder);
    const runner = startWork();
    await until(() => jobRows(first).some(({ progress }) => progress > 0));
    await transaction(() => createJobChanger("later")({ videos: [first] }));
    jobsChanged("work");
    await until(() => jobStates(second).ladder === "running");
    expect(jobStates(first).ladder).toBe("waiting");
    await runner.stop();
  });

  it("keep replaced files for current viewers until the cleanup", async () => {
    const id = addProcessed(site.uploads, "converted");
    const before = videoRow(id);
    const file = diskPath(site.uploads, before.video_url);
    const { ino } = fs.statSync(file);
    await transaction(() => createJobChanger("again")({ videos: [id] }));
    onlyJobs("transcode", "ladder");
    await workUntilIdle();
    const after = videoRow(id);
    expect(after).toMatchObject({ video_url: before.video_url, source_url: before.source_url });
    expect(fs.statSync(file).ino).not.toBe(ino);
    const inodes = () =>
      filesBelow(site.uploads).map((name) => fs.statSync(path.join(site.uploads, name)).ino);
    expect(inodes()).toContain(ino);
    expect(after.hls_url).not.toBe(before.hls_url);
    const streams = () =>
      [before, after].map(({ hls_url }) => fs.existsSync(diskPath(site.uploads, hls_url)));
    expect(streams()).toEqual([true, true]);
    sqliteHandle().exec("UPDATE jobs SET run_after = '2020' WHERE kind = 'cleanup'");
    await workUntilIdle();
    expect(streams()).toEqual([false, true]);
    expect(inodes()).not.toContain(ino);
  });

  it("are returned to the queue when the process shuts down, and their ffmpeg processes exit", async () => {
    const id = await addToLibrary(site.uploads, longClip("long", 60), true);
    onlyJobs("ladder");
    process.env.PATH = slowFfmpeg(site.folder);
    const runner = startWork();
    await until(() => jobRows(id).some(({ progress }) => progress > 0));
    await runner.stop();
    expect(jobRows(id).find(({ kind }) => kind === "ladder")).toMatchObject({
      state: "waiting",
      attempts: 0,
      worker: null,
    });
    expect(ffmpegsIn(site.folder)).toEqual([]);
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("continue at the next start after a kill at any time, and never refer to incomplete files", async () => {
    const id = await addToLibrary(site.uploads, longClip("long", 12), true);
    const env = { ...process.env, PATH: slowFfmpeg(site.folder, 4) };
    for (const kind of ["poster", "storyboard", "ladder"] as const) {
      const child = spawn(process.execPath, command("jobs", "--once"), { env, stdio: "ignore" });
      children.push(child);
      await until(() => jobStates(id)[kind] !== "waiting");
      child.kill("SIGKILL");
      await Promise.all([child.exitCode === null && once(child, "exit")]);
      await until(() => ffmpegsIn(site.folder).length === 0);
      const row = videoRow(id);
      for (const url of [row.hls_url, row.storyboard_url, row.preview_url, row.thumbnail_url]) {
        if (url) expect(fs.existsSync(diskPath(site.uploads, url))).toBe(true);
      }
    }
    await workUntilIdle();
    expect(allDone(id)).toBe(true);
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
    const folders = fs.readdirSync(
      path.dirname(path.dirname(diskPath(site.uploads, videoRow(id).hls_url))),
    );
    expect(folders.filter((name) => name.startsWith("hls-"))).toHaveLength(1);
  });

  it("have a watchdog that kills a stalled ffmpeg process", async () => {
    const folder = path.join(site.folder, "work");
    fs.mkdirSync(folder);
    const task = createTask(folder, () => {});
    const work = runFfmpeg(
      task,
      [...inputArguments(longClip("long", 60)), "-c:v", "libx264", "out.mp4"],
      { seconds: 60, fileBytes: 1e9, cpuSeconds: 600, watchdogMs: 2_000 },
    );
    const failed = work.catch((error) => error);
    await until(() => ffmpegsIn(site.folder).length > 0);
    process.kill(ffmpegsIn(site.folder)[0]!, "SIGSTOP");
    const error = await failed;
    expect(error).toBeInstanceOf(InterruptedError);
    expect(error.message).toMatch(/no progress for 2 seconds/);
    expect(ownWorker()).toContain(String(process.pid));
  });
});

/** Returns the state of a process, such as R for running or T for stopped. */
function stateOf(pid: number): string {
  try {
    return /^State:\s+(\w)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  } catch {
    return "";
  }
}

/** Returns the ids of the ffmpeg processes that have an argument within a folder. */
function ffmpegsIn(folder: string): number[] {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [command = "", ...args] = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return command.endsWith("ffmpeg") && args.some((arg) => arg.includes(folder));
      } catch {
        return false;
      }
    })
    .map(Number);
}
