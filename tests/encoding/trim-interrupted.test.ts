import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { activateReady } from "~/features/library/files/activate-replacement.server";
import { otherFiles } from "~/features/library/files/other-files.server";
import { checkLibrary } from "~/features/operations/library-check/check-library.server";
import { queueView } from "~/features/processing/queue/summaries.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { expectSuccess, useAdminSite } from "../admin-requests";
import { command } from "../command";
import {
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  videoRow,
  workUntilIdle,
} from "../encode-library";
import { makeClip } from "../media-clips";
import { interruptOnce, KILL_LINES, readSpeedLines } from "../wrapped-ffmpeg";

const site = useAdminSite();
const TRIM_OUTPUT = "*cut.mp4*";

/** Requests a trim of a five-second video. Returns the trim's ID, and the state that must not change. */
async function requestTrim() {
  const clip = makeClip(site.folder, "video", { seconds: 5 });
  const id = await addToLibrary(site.uploads, clip, true, { duration: "0:05" });
  sqliteHandle().exec("UPDATE jobs SET state = 'done'");
  await expectSuccess({ intent: "trim", id, start: "1", end: "4" }, `/admin?tab=manage&trim=${id}`);
  const row = videoRow(id);
  const video = diskPath(site.uploads, row.video_url);
  return { id, cut: otherFiles(id).pending!.id, row, video, bytes: fs.readFileSync(video) };
}
type RequestedTrim = Awaited<ReturnType<typeof requestTrim>>;

const trimJob = (cut: string) => jobRows(cut).find(({ kind }) => kind === "transcode")!;

/** Checks that the video plays as before, that its file is complete, and that nothing refers to the trim. */
function expectUnchanged({ id, cut, row, video, bytes }: RequestedTrim): void {
  expect(videoRow(id)).toEqual(row);
  expect(fs.readFileSync(video).equals(bytes)).toBe(true);
  expect(otherFiles(id).pending?.id).toBe(cut);
}

/** Checks that the next attempt encodes and activates the trim, and removes the previous attempt's files. */
async function expectTrimmed({ id, row, video, bytes }: RequestedTrim): Promise<void> {
  sqliteHandle().exec("UPDATE jobs SET run_after = '2000-01-01' WHERE state = 'waiting'");
  await workUntilIdle();
  await activateReady();
  const now = videoRow(id);
  expect(now).toMatchObject({ duration: "0:03", cut_start: 1, cut_end: 4 });
  expect(now.video_url).not.toBe(row.video_url);
  const found = await probe(diskPath(site.uploads, now.video_url));
  expect(found?.durationSeconds).toBeCloseTo(3, 1);
  expect(fs.readFileSync(video).equals(bytes)).toBe(true);
  expect(otherFiles(id).original?.duration).toBe("0:05");
  expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
  expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
}

describe.runIf(ffmpegAvailable())("an interrupted trim", { timeout: 90_000 }, () => {
  it("continues after the site is killed and restarted, and the video stays playable in the meantime", async () => {
    const trim = await requestTrim();
    interruptOnce(site.folder, "ffmpeg", TRIM_OUTPUT, readSpeedLines(0.1));
    const child = spawn(process.execPath, command("jobs", "--once"), {
      env: process.env,
      stdio: "ignore",
    });
    const half = () =>
      filesBelow(path.join(site.uploads, "tmp")).find((n) => n.endsWith("cut.mp4"));
    while (!half()) await new Promise((next) => setTimeout(next, 20));
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    expectUnchanged(trim);
    expect(trimJob(trim.cut)).toMatchObject({ state: "running", attempts: 1 });
    await expectTrimmed(trim);
  });

  it("is retried after its ffmpeg process is killed, and the queue shows the reason", async () => {
    const trim = await requestTrim();
    interruptOnce(site.folder, "ffmpeg", TRIM_OUTPUT, KILL_LINES);
    await workUntilIdle();
    const reason = "ffmpeg was killed by SIGKILL.";
    expect(trimJob(trim.cut)).toMatchObject({ state: "waiting", attempts: 1, reason });
    expectUnchanged(trim);
    const [first] = (await queueView()).waiting;
    expect(first).toMatchObject({ label: "Trimmed version: Trimming", reason });
    await expectTrimmed(trim);
  });

  it("waits for disk space without using up an attempt, and the queue shows the reason", async () => {
    const trim = await requestTrim();
    interruptOnce(site.folder, "ffmpeg", TRIM_OUTPUT, ["ln -s /dev/full cut.mp4"]);
    await workUntilIdle();
    const reason = "The disk is full.";
    expect(trimJob(trim.cut)).toMatchObject({ state: "waiting", attempts: 0, reason });
    expect(Date.parse(trimJob(trim.cut).run_after!)).toBeGreaterThan(Date.now());
    expectUnchanged(trim);
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
    const [first] = (await queueView()).waiting;
    expect(first).toMatchObject({ label: "Trimmed version: Trimming", reason });
    await expectTrimmed(trim);
    expect(trimJob(trim.cut)?.reason ?? null).toBeNull();
  });
});
