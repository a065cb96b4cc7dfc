import fs from "node:fs";
import path from "node:path";
import { ffmpeg, makeClip } from "../../media-clips";
import { MULTIPART, multipartParts, openRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { GOOD_TEXTS } from "../../upload-requests";
import type { Report } from "../report";

const HOURS = 2;
/** The length of the clip that is encoded once and then repeated without re-encoding. */
const PART_SECONDS = 20;
const SIZES = { "1080p": "1920x1080", "360p": "640x360" };
const MAX_WAIT_SECONDS = 20;
const MAX_BYTES = String(8 * 1024 ** 3);
const CHUNK_BYTES = 1024 ** 2;

/**
 * Measures how soon visitors can watch a two-hour HEVC video that has its index at the end, like the videos that phones
 * record. The measurement starts with the last byte of the upload and ends when a player can load the playlists and
 * their first segments.
 */
export async function run(report: Report): Promise<void> {
  for (const [name, size] of Object.entries(SIZES)) {
    const site = new SiteProcess({
      ENCODER_CONCURRENCY: "1",
      ENCODER_PRESET: "auto",
      MAX_VIDEO_BYTES: MAX_BYTES,
    });
    try {
      const source = createVideo(site.folder, size);
      await site.start();
      const { responded, watchable } = await upload(site, source);
      report.figure(`${HOURS} h of ${name}, file size`, fs.statSync(source).size / 1e6, "MB");
      report.figure(`${HOURS} h of ${name}, response to the upload after`, responded, "s");
      report.atMost(`${HOURS} h of ${name}, watchable after`, watchable, MAX_WAIT_SECONDS, "s");
    } finally {
      await site.remove();
    }
  }
}

function createVideo(folder: string, size: string): string {
  const part = makeClip(folder, "part", {
    seconds: PART_SECONDS,
    videoSource: `testsrc2=size=${size}:rate=30:duration=${PART_SECONDS}`,
    video: [
      ...["libx265", "-preset", "ultrafast", "-crf", "40", "-tag:v", "hvc1", "-pix_fmt", "yuv420p"],
      ...["-x265-params", "log-level=none:keyint=60"],
    ],
  });
  const source = path.join(folder, "video.mp4");
  const repeats = (HOURS * 3_600) / PART_SECONDS - 1;
  ffmpeg(["-stream_loop", String(repeats), "-i", part, "-c", "copy", source]);
  return source;
}

/**
 * Uploads the video. Returns two durations in seconds, measured from the last byte: until the response arrives, and
 * until the video can be watched.
 */
async function upload(site: SiteProcess, source: string) {
  const { before, after } = multipartParts(GOOD_TEXTS);
  const bytes = Buffer.byteLength(before) + fs.statSync(source).size + Buffer.byteLength(after);
  const cookie = await signInTo(site);
  const { request, send, response } = openRequest(site, "POST", "/admin/publish", {
    ...MULTIPART,
    ...{ Cookie: cookie, "Content-Length": String(bytes) },
  });
  await send(before);
  for await (const chunk of fs.createReadStream(source, { highWaterMark: CHUNK_BYTES })) {
    // If the upload is rejected, the response arrives early, and the site doesn't read the rest.
    await Promise.race([send(chunk as Buffer), response]);
  }
  await send(after);
  const lastByteAt = performance.now();
  const since = () => (performance.now() - lastByteAt) / 1_000;
  request.end();
  const { status, body } = await response;
  const responded = since();
  if (status !== 201) throw new Error(`The upload failed with status ${status}: ${body}`);
  await untilWatchable(site);
  return { responded, watchable: since() };
}

/** Waits until the row has a stream, and then loads the first segment of each video and audio rendition. */
async function untilWatchable(site: SiteProcess): Promise<void> {
  const streamUrl = site.database().prepare("SELECT hls_url FROM videos").pluck();
  const failed = site.database().prepare("SELECT reason FROM jobs WHERE state = 'failed'").pluck();
  let master = streamUrl.get() as string | null;
  while (!master) {
    if (failed.get()) throw new Error(`A job failed: ${failed.get()}`);
    await new Promise((next) => setTimeout(next, 50));
    master = streamUrl.get() as string | null;
  }
  const text = await (await fetch(site.url + master)).text();
  const names = [...text.matchAll(/^(\w\S*\.m3u8)$|URI="(audio-[^"]+\.m3u8)"/gm)];
  if (names.length === 0) throw new Error(`The playlist is empty: ${text}`);
  for (const [, video, audio] of names) {
    const address = new URL(video ?? audio!, site.url + master);
    const playlist = await (await fetch(address)).text();
    const [, length, offset, file] = /^#EXT-X-BYTERANGE:(\d+)@(\d+)\n(.*)$/m.exec(playlist) ?? [];
    const Range = `bytes=${offset}-${Number(offset) + Number(length) - 1}`;
    const segment = await fetch(new URL(file ?? "", address), { headers: { Range } });
    const read = (await segment.arrayBuffer()).byteLength;
    if (segment.status !== 206 || read !== Number(length)) {
      throw new Error(`${address} has no segment yet: ${segment.status}`);
    }
  }
}
