import fs from "node:fs";
import path from "node:path";
import { ffmpeg, makeClip } from "../../media-clips";
import { MULTIPART, multipartParts, openRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { GOOD_TEXTS } from "../../upload-requests";
import type { Report } from "../report";

const HOURS = 2;
/** Encoded once, and repeated without being encoded again. */
const PART_SECONDS = 20;
const SIZES = { "1080p": "1920x1080", "360p": "640x360" };
const MAX_WAITED_SECONDS = 20;
const MAX_BYTES = String(8 * 1024 ** 3);
const CHUNK_BYTES = 1024 ** 2;

/**
 * How long a video of two hours in HEVC, as phones record it, with its index behind, has to be waited for:
 * from the last byte of its upload until a player can have its playlists and their first segments.
 */
export async function run(report: Report): Promise<void> {
  for (const [name, size] of Object.entries(SIZES)) {
    const site = new SiteProcess({
      ENCODER_CONCURRENCY: "1",
      ENCODER_PRESET: "auto",
      MAX_VIDEO_BYTES: MAX_BYTES,
    });
    try {
      const source = makeVideo(site.folder, size);
      await site.start();
      const { answered, watchable } = await send(site, source);
      report.figure(`${HOURS} h of ${name}, its file`, fs.statSync(source).size / 1e6, "MB");
      report.figure(`${HOURS} h of ${name}, the upload is answered after`, answered, "s");
      report.atMost(`${HOURS} h of ${name}, watchable after`, watchable, MAX_WAITED_SECONDS, "s");
    } finally {
      await site.remove();
    }
  }
}

function makeVideo(folder: string, size: string): string {
  const part = makeClip(folder, "part", {
    seconds: PART_SECONDS,
    picture: `testsrc2=size=${size}:rate=30:duration=${PART_SECONDS}`,
    video: [
      ...["libx265", "-preset", "ultrafast", "-crf", "40", "-tag:v", "hvc1", "-pix_fmt", "yuv420p"],
      ...["-x265-params", "log-level=none:keyint=60"],
    ],
  });
  const source = path.join(folder, "video.mp4");
  const again = (HOURS * 3_600) / PART_SECONDS - 1;
  ffmpeg(["-stream_loop", String(again), "-i", part, "-c", "copy", source]);
  return source;
}

/** Sends the video by the form; seconds from its last byte to the answer, and to what a player begins with. */
async function send(site: SiteProcess, source: string) {
  const { before, after } = multipartParts(GOOD_TEXTS);
  const bytes = Buffer.byteLength(before) + fs.statSync(source).size + Buffer.byteLength(after);
  const cookie = await signInTo(site);
  const { request, send, answer } = openRequest(site, "POST", "/admin/publish", {
    ...MULTIPART,
    ...{ Cookie: cookie, "Content-Length": String(bytes) },
  });
  await send(before);
  for await (const chunk of fs.createReadStream(source, { highWaterMark: CHUNK_BYTES })) {
    // One that is refused is answered before its end, and nothing more of it is read.
    await Promise.race([send(chunk as Buffer), answer]);
  }
  await send(after);
  const lastByteAt = performance.now();
  const since = () => (performance.now() - lastByteAt) / 1_000;
  request.end();
  const { status, body } = await answer;
  const answered = since();
  if (status !== 201) throw new Error(`The upload was answered ${status}: ${body}`);
  await untilWatchable(site);
  return { answered, watchable: since() };
}

/** Until the stream is named, and its first segments are answered, of a picture and of the sound. */
async function untilWatchable(site: SiteProcess): Promise<void> {
  const named = site.database().prepare("SELECT hls_url FROM videos").pluck();
  const failed = site.database().prepare("SELECT reason FROM jobs WHERE state = 'failed'").pluck();
  let master = named.get() as string | null;
  while (!master) {
    if (failed.get()) throw new Error(`It can't be made: ${failed.get()}`);
    await new Promise((next) => setTimeout(next, 50));
    master = named.get() as string | null;
  }
  const text = await (await fetch(site.url + master)).text();
  const names = [...text.matchAll(/^(\w\S*\.m3u8)$|URI="(sound-[^"]+\.m3u8)"/gm)];
  if (names.length === 0) throw new Error(`The playlist names nothing: ${text}`);
  for (const [, picture, sound] of names) {
    const address = new URL(picture ?? sound!, site.url + master);
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
