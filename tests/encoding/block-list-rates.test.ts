import { describe, expect, it } from "vitest";
import { type Frames, similarity } from "~/features/processing/comparison/frame-hashes";
import {
  hashBlockedFrames,
  hashComparedFrames,
} from "~/features/processing/comparison/hash-frames.server";
import { createTask } from "~/media/encode/task.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { useAdminSite } from "../admin-requests";
import { ffmpeg, makeClip } from "../media-clips";
import { CHANGES, CLIPS, drawnVideo } from "./altered-videos";

const site = useAdminSite();
const OTHERS = 40;

describe.runIf(ffmpegAvailable())("copies of blocked videos", () => {
  it("are detected after any of 8 modifications, with no false positives among 40 other videos", async () => {
    const task = createTask(site.folder, () => {});
    const videos = new Map<string, Frames>();
    const files = new Map<string, string>();
    const names = Object.keys(CLIPS);
    for (const name of names) {
      const file = makeClip(site.folder, name.replace(" ", "-"), {
        videoSource: CLIPS[name]!,
        audio: false,
      });
      files.set(name, file);
      videos.set(name, await hashBlockedFrames(file, (await probe(file))!, task));
    }
    const missed: string[] = [];
    const mistaken: string[] = [];
    let copies = 0;
    for (const [change, [before, filters, more = []]] of Object.entries(CHANGES)) {
      const name = names[copies % names.length]!;
      const copy = `${site.folder}/copy.mp4`;
      const encode = ["-an", "-c:v", "libx264", "-preset", "ultrafast"];
      ffmpeg([...before, "-i", files.get(name)!, "-vf", filters, ...encode, ...more, copy]);
      const frames = await hashComparedFrames(copy, (await probe(copy))!, task, true);
      for (const [video, blocked] of videos) {
        const isLike = similarity(frames, blocked) > 0;
        if (video === name && !isLike) missed.push(`${name}, ${change}`);
        if (video !== name && isLike) mistaken.push(`${name}, ${change}, for ${video}`);
      }
      copies += 1;
    }
    for (let seed = 1; seed <= OTHERS; seed++) {
      const other = drawnVideo(seed);
      for (const [video, blocked] of videos) {
        if (similarity(other, blocked) > 0) mistaken.push(`drawn ${seed}, for ${video}`);
      }
    }
    expect(copies).toBe(8);
    expect(missed).toEqual([]);
    expect(mistaken).toEqual([]);
  }, 120_000);
});
