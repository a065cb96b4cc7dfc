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
import { succeed, useAdminSite } from "../admin-requests";
import { command } from "../command";
import {
  addToLibrary,
  filesBelow,
  jobRows,
  onDisk,
  videoRow,
  workUntilIdle,
} from "../encode-library";
import { makeClip } from "../media-clips";
import { interruptOnce, KILLED, readingAt } from "../wrapped-ffmpeg";

const site = useAdminSite();
const CUTTING = "*cut.mp4*";

/** A video of five seconds of which a cut is asked for; the id of the cut, and what must stay. */
async function askForCut() {
  const clip = makeClip(site.folder, "video", { seconds: 5 });
  const id = await addToLibrary(site.uploads, clip, true, { duration: "0:05" });
  sqliteHandle().exec("UPDATE jobs SET state = 'done'");
  await succeed({ intent: "trim", id, start: "1", end: "4" }, `/admin?tab=manage&trim=${id}`);
  const row = videoRow(id);
  const video = onDisk(site.uploads, row.video_url);
  return { id, cut: otherFiles(id).pending!.id, row, video, bytes: fs.readFileSync(video) };
}
type Asked = Awaited<ReturnType<typeof askForCut>>;

const cutting = (cut: string) => jobRows(cut).find(({ kind }) => kind === "transcode")!;

/** The video plays as before, its file is whole, and nothing of the cut is named. */
function expectNothingLost({ id, cut, row, video, bytes }: Asked): void {
  expect(videoRow(id)).toEqual(row);
  expect(fs.readFileSync(video).equals(bytes)).toBe(true);
  expect(otherFiles(id).pending?.id).toBe(cut);
}

/** The next attempt makes the cut, which takes over, and leaves nothing of the one before. */
async function expectCutAfterAll({ id, row, video, bytes }: Asked): Promise<void> {
  sqliteHandle().exec("UPDATE jobs SET run_after = '2000-01-01' WHERE state = 'waiting'");
  await workUntilIdle();
  await activateReady();
  const now = videoRow(id);
  expect(now).toMatchObject({ duration: "0:03", cut_start: 1, cut_end: 4 });
  expect(now.video_url).not.toBe(row.video_url);
  const found = await probe(onDisk(site.uploads, now.video_url));
  expect(found?.durationSeconds).toBeCloseTo(3, 1);
  expect(fs.readFileSync(video).equals(bytes)).toBe(true);
  expect(otherFiles(id).original?.duration).toBe("0:05");
  expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
  expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
}

describe.runIf(ffmpegAvailable())("a cut that is interrupted", { timeout: 90_000 }, () => {
  it("goes on after the site was killed, and the video plays meanwhile", async () => {
    const asked = await askForCut();
    interruptOnce(site.folder, "ffmpeg", CUTTING, readingAt(0.1));
    const child = spawn(process.execPath, command("jobs", "--once"), {
      env: process.env,
      stdio: "ignore",
    });
    const half = () =>
      filesBelow(path.join(site.uploads, "tmp")).find((n) => n.endsWith("cut.mp4"));
    while (!half()) await new Promise((next) => setTimeout(next, 20));
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    expectNothingLost(asked);
    expect(cutting(asked.cut)).toMatchObject({ state: "running", attempts: 1 });
    await expectCutAfterAll(asked);
  });

  it("is tried again after its ffmpeg was killed, and the queue says so", async () => {
    const asked = await askForCut();
    interruptOnce(site.folder, "ffmpeg", CUTTING, KILLED);
    await workUntilIdle();
    const reason = "ffmpeg was ended by SIGKILL.";
    expect(cutting(asked.cut)).toMatchObject({ state: "waiting", attempts: 1, reason });
    expectNothingLost(asked);
    const [first] = (await queueView()).waiting;
    expect(first).toMatchObject({ label: "Trimmed version: Trimming", reason });
    await expectCutAfterAll(asked);
  });

  it("waits for room on a full disk without losing an attempt, and the queue says so", async () => {
    const asked = await askForCut();
    interruptOnce(site.folder, "ffmpeg", CUTTING, ["ln -s /dev/full cut.mp4"]);
    await workUntilIdle();
    const reason = "The disk is full.";
    expect(cutting(asked.cut)).toMatchObject({ state: "waiting", attempts: 0, reason });
    expect(Date.parse(cutting(asked.cut).run_after!)).toBeGreaterThan(Date.now());
    expectNothingLost(asked);
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
    const [first] = (await queueView()).waiting;
    expect(first).toMatchObject({ label: "Trimmed version: Trimming", reason });
    await expectCutAfterAll(asked);
    expect(cutting(asked.cut)?.reason ?? null).toBeNull();
  });
});
