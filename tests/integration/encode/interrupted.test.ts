import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { claim } from "~/features/processing/queue/queue.server";
import { beginWork, recordFailure } from "~/features/processing/queue/worker.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { extractFrame, extractFrames } from "~/media/encode/frames.server";
import { EncodeError, runFfmpeg } from "~/media/encode/task.server";
import { temporaryFolder } from "~/media/files/temporary-files.server";
import {
  ffmpegAvailable,
  InterruptedError,
  inputArguments,
  throwIfInterrupted,
} from "~/media/probe/ffmpeg.server";
import { probe, RefusedFileError } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import {
  addToLibrary,
  encodeArguments,
  jobRows,
  onlyJobs,
  workUntilIdle,
} from "../../encode-library";
import { makeClip } from "../../media-clips";
import { until } from "../../process-figures";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, uploadRequest } from "../../upload-requests";
import { interruptOnce, KILL_LINES, slowFfmpeg } from "../../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const interrupt = (program: "ffmpeg" | "ffprobe") =>
  interruptOnce(site.folder, program, "*file:*", KILL_LINES);

describe.runIf(ffmpegAvailable())("an interrupted ffmpeg process", () => {
  it.each(["ffprobe", "ffmpeg"] as const)(
    "doesn't cause its input file to be rejected (%s)",
    async (program) => {
      const clip = makeClip(site.folder, "clip");
      interrupt(program);
      await expect(probe(clip)).rejects.toThrow(
        new InterruptedError(`${program} was killed by SIGKILL.`),
      );
      expect(await probe(clip)).toMatchObject({ playable: true });
    },
  );

  it("counts as interrupted if its input ended early, even if the exit code is 0", () => {
    const line = "[http @ 0x5] Stream ends prematurely at 262144, should be 8388608";
    const end = { exitCode: 0, timedOut: false };
    expect(() => throwIfInterrupted("ffmpeg", end, ["another", line])).toThrow(InterruptedError);
    expect(() => throwIfInterrupted("ffmpeg", end, ["another"])).not.toThrow();
  });

  it("returns its job to the queue, and the next attempt completes the job", async () => {
    const clip = makeClip(site.folder, "clip", { audio: false });
    const id = await addToLibrary(site.uploads, clip, true);
    onlyJobs("ladder");
    const ladder = () => jobRows(id).find(({ kind }) => kind === "ladder");
    interrupt("ffprobe");
    await workUntilIdle();
    const reason = "ffprobe was killed by SIGKILL.";
    expect(ladder()).toMatchObject({ state: "waiting", attempts: 1, reason });
    sqliteHandle().exec("UPDATE jobs SET run_after = '2000-01-01' WHERE kind = 'ladder'");
    await workUntilIdle();
    expect(ladder()).toMatchObject({ state: "done", reason: null });
  });

  it("doesn't remove the next attempt's files if its job's lease has expired", async () => {
    await addToLibrary(site.uploads, makeClip(site.folder, "clip", { audio: false }), true);
    onlyJobs("ladder");
    ffmpegAvailable();
    process.env.PATH = slowFfmpeg(site.folder);
    const folders = () =>
      fs.readdirSync(temporaryFolder()).filter((name) => name.startsWith("encode-"));
    const first = beginWork((await claim())!);
    await until(() => folders().length === 1);
    const [lost] = folders();
    sqliteHandle().exec("UPDATE jobs SET lease_until = '2000-01-01' WHERE state = 'running'");
    const second = beginWork((await claim(undefined, undefined, { worker: "another" }))!);
    await until(() => folders().length === 2);
    const kept = folders().find((name) => name !== lost);
    first.beat();
    await first.ended;
    expect(folders()).toEqual([kept]);
    await second.ended;
    expect(
      sqliteHandle().prepare("SELECT state, attempts FROM jobs WHERE kind = 'ladder'").get(),
    ).toEqual({ state: "done", attempts: 2 });
    expect(folders()).toEqual([]);
  });

  it("causes an upload to fail with 503, and the upload succeeds when it is sent again", async () => {
    const video = fileBlob(makeClip(site.folder, "clip", { audio: false }));
    const { id } = insertUser();
    interrupt("ffprobe");
    const failed = await receiveUpload(uploadRequest(video), id);
    const message = "The video couldn’t be checked. Try again in a moment.";
    expect(failed).toMatchObject({ status: 503, failure: { message } });
    expect(await receiveUpload(uploadRequest(video), id)).not.toHaveProperty("failure");
  });

  it("isn't mistaken for a frame that doesn't exist", async () => {
    const [{ file }, found, task] = await encodeArguments(makeClip(site.folder, "clip"));
    interrupt("ffmpeg");
    const size = { width: 32, height: 18 };
    await expect(extractFrame(file, found, 1, size, task)).rejects.toBeInstanceOf(InterruptedError);
    expect(await extractFrame(file, found, 1, size, task)).toBeDefined();
    expect(await extractFrame(file, found, 60, size, task)).toBeUndefined();
    const several = await extractFrames(file, found, [0.5, 60, 1.5], size, task);
    expect(several.map((image) => image && path.basename(image))).toEqual([
      "frame-0.500.jpg",
      undefined,
      "frame-1.500.jpg",
    ]);
  });

  it("doesn't count as an attempt if the disk was full", async () => {
    const clip = makeClip(site.folder, "clip");
    const [{ file }, found, task] = await encodeArguments(clip);
    const limits = { seconds: 2, fileBytes: 1e9, cpuSeconds: 60 };
    const out = ["-c", "copy", "-f", "matroska", "/dev/full"];
    const full = { code: "ENOSPC" };
    await expect(runFfmpeg(task, [...inputArguments(file), ...out], limits)).rejects.toMatchObject(
      full,
    );
    fs.symlinkSync("/dev/full", path.join(site.folder, "frame-1.000.jpg"));
    const error = await extractFrame(file, found, 1, { width: 320, height: 180 }, task).catch(
      (e) => e,
    );
    expect(error).toMatchObject(full);

    const id = await addToLibrary(site.uploads, clip, true);
    const job = (await claim())!;
    await recordFailure(job, error, false, false);
    expect(jobRows(id)[0]).toMatchObject({
      state: "waiting",
      attempts: 0,
      reason: "The disk is full.",
    });
  });

  it("is retried, but a process that fails on an invalid file isn't", async () => {
    const logged = vi.spyOn(console, "error");
    const noise = path.join(site.folder, "noise.mp4");
    fs.writeFileSync(noise, "no video at all");
    await expect(probe(noise)).rejects.toBeInstanceOf(RefusedFileError);
    const id = await addToLibrary(site.uploads, noise, true);
    await workUntilIdle();
    expect(jobRows(id)[0]).toMatchObject({ state: "failed", attempts: 1 });
    const [, , task] = await encodeArguments(makeClip(site.folder, "clip"));
    const limits = { seconds: 2, fileBytes: 1e9, cpuSeconds: 60 };
    const work = runFfmpeg(task, [...inputArguments(noise), "out.mp4"], limits);
    await expect(work).rejects.toBeInstanceOf(EncodeError);
    expect(logged).not.toHaveBeenCalled();
  });
});
