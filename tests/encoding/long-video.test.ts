import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { addToLibrary, diskPath, jobRows, videoRow, workUntilIdle } from "../encode-library";
import { ffprobe, makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const SECONDS = 600;

describe.runIf(ffmpegAvailable())("a ten-minute video", () => {
  it("gets full-length renditions, and a storyboard of at most a hundred frames with correct timestamps", async () => {
    // The brightness encodes the timestamp: it increases from 20 at the beginning to 220 at the end.
    const clip = makeClip(site.folder, "long", {
      videoSource: `color=black:size=160x90:rate=1:duration=${SECONDS},geq=lum=20+T/3:cb=128:cr=128`,
      seconds: SECONDS,
      // The clip has no audio, because encoding audio for every rendition would take as long as encoding the video.
      audio: false,
    });
    const id = await addToLibrary(site.uploads, clip, true);
    await workUntilIdle();
    expect(jobRows(id).filter(({ reason }) => reason)).toEqual([]);
    const { hls_url, storyboard_url, preview_url, video_url } = videoRow(id);

    const vtt = diskPath(site.uploads, storyboard_url);
    const cues = [
      ...fs
        .readFileSync(vtt, "utf8")
        .matchAll(/00:(\d\d):([\d.]+) --> 00:(\d\d):([\d.]+)\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/g),
    ];
    expect(cues).toHaveLength(100);
    for (const [, fromMinute, from, toMinute, to, name, ...box] of cues) {
      const [left = 0, top = 0, width = 0, height = 0] = box.map(Number);
      const image = await sharp(path.join(path.dirname(vtt), name!))
        .extract({ left, top, width, height })
        .greyscale()
        .png()
        .toBuffer();
      const { channels } = await sharp(image).stats();
      const seconds = ((channels[0]!.mean * 219) / 255 + 16 - 20) * 3;
      // The brightness increases by 1 every three seconds.
      expect(seconds).toBeGreaterThan(Number(fromMinute) * 60 + Number(from) - 4);
      expect(seconds).toBeLessThan(Number(toMinute) * 60 + Number(to) + 4);
    }

    const master = diskPath(site.uploads, hls_url);
    const lists = fs.readFileSync(master, "utf8").match(/^[^#\n].*$/gm) ?? [];
    expect(lists.length).toBeGreaterThan(0);
    for (const name of lists) {
      const list = fs.readFileSync(path.join(path.dirname(master), name), "utf8");
      const lengths = [...list.matchAll(/#EXTINF:([\d.]+)/g)].map(([, length]) => Number(length));
      const total = lengths.reduce((sum, length) => sum + length, 0);
      expect(Math.abs(total - SECONDS)).toBeLessThan(1);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(4.5);
    }
    const length = (url: string | null) =>
      Number(
        ffprobe(diskPath(site.uploads, url), [
          "-show_entries",
          "format=duration",
          "-of",
          "csv=p=0",
        ]),
      );
    expect(Math.abs(length(video_url) - SECONDS)).toBeLessThan(1);
    expect(length(preview_url)).toBeLessThan(9);
  }, 240_000);
});
