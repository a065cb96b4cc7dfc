import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claim } from "~/features/processing/queue/queue.server";
import { beginWork } from "~/features/processing/queue/worker.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { addVideoWithFile, copiedVideo, expectSameVideo } from "../../copied-videos";
import { filesBelow, jobRows, videoRow, workUntilIdle } from "../../encode-library";
import { ffprobe, makeClip, rotate } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";
import { withoutMetadata } from "../../without-metadata";
import { wrapCommand } from "../../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

describe.runIf(ffmpegAvailable())("moving an MP4's index to the start of the file", () => {
  it("keeps all packets, and creates a copy that plays identically", async () => {
    await expectSameVideo(site, {});
  });

  it("keeps the rotation, and removes private metadata", async () => {
    const tags = ["-metadata", "location=+47.3-122.2/", "-metadata", "title=Anna's"];
    const named = ["-metadata:s:v:0", "handler_name=Anna's phone"];
    const dated = ["-metadata", "creation_time=2026-01-02T03:04:05Z"];
    const clip = makeClip(site.folder, "video", { output: [...tags, ...named, ...dated] });
    const video = rotate(clip, 90);
    expect(fs.readFileSync(video, "latin1")).toContain("Anna's");
    const copy = await copiedVideo(site, video);
    expect(fs.readFileSync(copy, "latin1")).not.toMatch(/Anna's|47\.3/);
    const entries = "stream_side_data=rotation:format_tags:stream_tags";
    const output = ffprobe(copy, ["-show_entries", entries, "-of", "json"]);
    expect(output).not.toContain("creation_time");
    expect(JSON.parse(output).streams[0].side_data_list[0].rotation).toBe(-90);
  });

  it("stops when its job is returned to the queue, and leaves no files behind", async () => {
    const video = makeClip(site.folder, "video", { seconds: 20, size: "640x360" });
    const { id, file } = await addVideoWithFile(site, video);
    const before = videoRow(id);
    const work = beginWork((await claim())!);
    await work.returnToQueue();
    await work.ended;
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
    expect(filesBelow(path.join(site.uploads, "videos"))).toHaveLength(1);
    expect(fs.readFileSync(file).equals(fs.readFileSync(video))).toBe(true);
    expect(videoRow(id)).toEqual(before);
    expect(jobRows(id)[0]).toMatchObject({ state: "waiting", attempts: 0 });
  });

  it.each([
    ["fails immediately", ""],
    ["fails halfway through the file", 'for last; do :; done; head -c 20000 /dev/zero > "$last"'],
  ])("leaves the video unchanged if ffmpeg %s", async (_, half) => {
    const video = makeClip(site.folder, "video");
    const { id, file } = await addVideoWithFile(site, video);
    const before = videoRow(id);
    // Only the command that creates the faststart copy fails.
    const failing = `case "$*" in *+faststart*) ${half || ":"}; exit 1;; esac`;
    process.env.PATH = wrapCommand(site.folder, "ffmpeg", [failing]);
    await workUntilIdle();
    expect(jobRows(id)[0]).toMatchObject({ state: "waiting", attempts: 1 });
    expect(jobRows(id)[0]!.reason).toContain("ffmpeg could not read or convert the file.");
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
    expect(filesBelow(path.join(site.uploads, "videos"))).toHaveLength(1);
    expect(fs.readFileSync(file).equals(withoutMetadata(fs.readFileSync(video)))).toBe(true);
    expect(videoRow(id)).toMatchObject({ ...before, bytes: expect.any(Number) });
  });
});
