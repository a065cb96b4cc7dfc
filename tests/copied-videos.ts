import fs from "node:fs";
import { expect } from "vitest";
import { probe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, diskPath, jobRows, videoRow, workUntilIdle } from "./encode-library";
import { type Clip, ffmpeg, ffprobe, makeClip } from "./media-clips";

interface Site {
  folder: string;
  uploads: string;
}

/** Adds a playable MP4 that has a single job, which creates the faststart copy. */
export async function addVideoWithFile(
  { uploads }: Site,
  clip: string,
): Promise<{ id: string; file: string }> {
  const id = await addToLibrary(uploads, clip, true);
  sqliteHandle().exec("DELETE FROM jobs WHERE priority > 0");
  return { id, file: diskPath(uploads, videoRow(id).video_url) };
}

/** Returns the copy that the site creates from a video, in which the `moov` box comes first. */
export async function copiedVideo(site: Site, clip: string): Promise<string> {
  const { id, file } = await addVideoWithFile(site, clip);
  await workUntilIdle();
  expect(jobRows(id)[0]).toMatchObject({ state: "done", reason: null });
  expect(fs.statSync(file).ino).not.toBe(fs.statSync(clip).ino);
  return file;
}

const streamHashes = (file: string) =>
  ffmpeg(["-i", file, "-map", "0", "-c", "copy", "-f", "streamhash", "-"]);
/** Returns the timestamps of all packets that a demuxer reads, with a hash of each packet's bytes. */
const packets = (file: string) =>
  ffprobe(file, [
    ...["-show_packets", "-show_data_hash", "md5", "-of", "csv=p=0"],
    ...["-show_entries", "packet=codec_type,pts_time,dts_time,size,flags,data_hash"],
  ])
    .split("\n")
    .sort();
const frameHashes = (file: string) => ffmpeg(["-i", file, "-map", "0", "-f", "framemd5", "-"]);

/**
 * Fails unless the site's copy of a clip generated with these options has the same packets and decodes to the same
 * frames.
 */
export async function expectSameVideo(site: Site, clip: Clip): Promise<void> {
  const video = makeClip(site.folder, "video", clip);
  expect(await probe(video)).toMatchObject({ needsFaststart: true });
  const copy = await copiedVideo(site, video);
  expect(await probe(copy)).toMatchObject({ playable: true, needsFaststart: false });
  expect(streamHashes(copy)).toBe(streamHashes(video));
  expect(streamHashes(copy).trim().split("\n")).toHaveLength(clip.audio === false ? 1 : 2);
  expect(packets(copy)).toEqual(packets(video));
  expect(frameHashes(copy)).toBe(frameHashes(video));
  expect(fs.statSync(copy).size - fs.statSync(video).size).toBeLessThan(8_192);
}
