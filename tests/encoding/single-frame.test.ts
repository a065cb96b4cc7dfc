import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createStoryboard } from "~/features/processing/kinds/stills.server";
import { BLOCKED } from "~/features/processing/queue/kinds";
import { jobSummaries, queueView } from "~/features/processing/queue/summaries.server";
import { createTask } from "~/media/encode/task.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, jobRows, videoRow, workUntilIdle } from "../encode-library";
import { type Clip, makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const SMALL = { size: "160x90" };
const ONE_FRAME = { ...SMALL, seconds: 1, output: ["-frames:v", "1"] };

describe.runIf(ffmpegAvailable())("a video that has a single frame or is extremely short", () => {
  it.each<[string, Clip]>([
    ["one frame in MP4", { ...ONE_FRAME, audio: false }],
    ["one frame in Matroska", { ...ONE_FRAME, extension: "mkv", audio: false }],
    [
      "one frame in AVI with audio",
      { ...ONE_FRAME, extension: "avi", video: ["mpeg4"], audio: ["mp2"] },
    ],
    ["19 ms", { videoSource: "testsrc2=size=160x90:rate=1000:duration=0.019", audio: false }],
  ])("can be played, without a ladder or a storyboard: %s", async (_, clip) => {
    const id = await addToLibrary(site.uploads, makeClip(site.folder, "short", clip), false);
    await workUntilIdle();
    const reasons = jobRows(id).filter(({ state, kind }) => state !== "done" && kind !== "cleanup");
    expect(reasons.map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([]);
    expect(videoRow(id)).toMatchObject({ hls_url: null, storyboard_url: null });
    expect(videoRow(id).video_url).toMatch(/^\/media/);
    expect(videoRow(id).thumbnail_url).toMatch(/\.webp$/);
  });

  it("has a storyboard that shows the first frame if no frames can be read at the requested timestamps", async () => {
    const file = makeClip(site.folder, "clip", { ...SMALL, seconds: 1 });
    const found = (await probe(file))!;
    // Simulates a file with a wrong index, in which there are no frames at the requested positions.
    const wrong = { ...found, durationSeconds: 2.6 };
    const task = createTask(site.folder, () => {});
    const source = { basePath: "u/1", playedFile: file, file, url: "", videoId: "" };
    const row = { video_url: "", thumbnail_url: null, hls_url: null, source_removed_at: null };
    const storyboard = await createStoryboard({ ...source, row }, wrong, task, "x");
    expect(storyboard.columns.storyboard_url).toMatch(/storyboard\.vtt$/);
  });
});

describe.runIf(ffmpegAvailable())("jobs that depend on a permanently failed job", () => {
  it("are reported as blocked until that job is retried", async () => {
    const file = makeClip(site.folder, "clip", { ...SMALL, seconds: 1 });
    const id = await addToLibrary(site.uploads, file, true);
    const other = await addToLibrary(site.uploads, file, true);
    sqliteHandle()
      .prepare("UPDATE jobs SET state = 'failed' WHERE kind = 'transcode' AND video_id = ?")
      .run(id);
    expect(BLOCKED).toBe("Blocked: “Preparing for playback” failed.");
    const { waiting } = await queueView();
    const blocked = waiting.filter(({ isBlocked }) => isBlocked).map(({ videoId }) => videoId);
    expect(blocked).toEqual(Array(6).fill(id));
    const summaries = await jobSummaries([id, other]);
    expect(summaries[id]).toMatchObject({ waiting: 6, isBlocked: true });
    expect(summaries[other]).not.toHaveProperty("isBlocked");
    sqliteHandle().exec("UPDATE jobs SET state = 'waiting'");
    expect((await jobSummaries([id]))[id]).not.toHaveProperty("isBlocked");
  });
});
