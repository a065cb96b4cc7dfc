import path from "node:path";
import type { FileStart, StreamStart } from "~/features/player/types";
import { bucketFile, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import { readText } from "~/media/files/local-copies.server";
import { startRendition } from "~/shared/streams/start-rendition";

/**
 * Returns the beginning of the first rendition to be played, as read from the playlists (RFC 8216), so that the page
 * can preload it and the player doesn't have to load one playlist after the other. Returns undefined if the stream has
 * a different layout.
 */
export async function streamStart(hlsUrl: string): Promise<StreamStart | undefined> {
  try {
    const master = await readMedia(hlsUrl);
    const start = startRendition(variantsOf(master));
    const video = start && (await fileStart(beside(hlsUrl, start.playlist)));
    if (!video) return undefined;
    const group = GROUP.exec(start.attributes)?.[1];
    const tag = group && master.split("\n").find((line) => isDefaultAudio(line, group));
    const file = tag && URI.exec(tag)?.[1];
    const audio = file && (await fileStart(beside(hlsUrl, file)));
    return { ...video, ...(audio && { audio }) };
  } catch {
    // The file is missing, which the player will detect.
    return undefined;
  }
}

/** Parses line by line, because a regular expression over the whole text would backtrack on long lines. */
function variantsOf(master: string) {
  const lines = master.split(/\r?\n/);
  return lines.flatMap((line, index) => {
    const playlist = lines[index + 1] ?? "";
    if (!line.startsWith(VARIANT) || !FILE.test(playlist)) return [];
    const [, width, height] = RESOLUTION.exec(line) ?? [];
    if (height === undefined) return [];
    const attributes = line.slice(VARIANT.length);
    return [{ attributes, playlist, width: Number(width), height: Number(height) }];
  });
}

async function fileStart(playlistUrl: string): Promise<FileStart | undefined> {
  const playlist = await readMedia(playlistUrl);
  const [, header] = HEADER.exec(playlist) ?? [];
  const [, length, offset, file] = SEGMENT.exec(playlist) ?? [];
  const segmentUrl = header === file && file !== undefined && beside(playlistUrl, file);
  if (!segmentUrl) return undefined;
  return { playlistUrl, segmentUrl, bytes: Number(length) + Number(offset) };
}

function isDefaultAudio(line: string, group: string): boolean {
  return (
    line.startsWith("#EXT-X-MEDIA:TYPE=AUDIO,") &&
    line.includes(`GROUP-ID="${group}"`) &&
    line.includes("DEFAULT=YES")
  );
}

const VARIANT = "#EXT-X-STREAM-INF:";
const RESOLUTION = /(?:^|[:,])RESOLUTION=(\d{1,5})x(\d{1,5})(?:,|$)/;
const FILE = /^[\w.-]+$/;
const GROUP = /(?:^|,)AUDIO="([\w-]+)"/;
const URI = /,URI="([\w.-]+)"/;
const HEADER = /^#EXT-X-MAP:URI="([\w.-]+)",BYTERANGE="\d+@0"\r?$/m;
const SEGMENT = /^#EXT-X-BYTERANGE:(\d+)@(\d+)\r?\n([\w.-]+)\r?$/m;

/** Returns the URL of a file in the same folder. */
function beside(url: string, file: string): string {
  return `${path.posix.dirname(url)}/${file}`;
}

async function readMedia(url: string): Promise<string> {
  const name = parseMediaUrl(url);
  const file =
    name && mediaUrl(name.bucket, name.path) === url && bucketFile(name.bucket, name.path);
  if (!file) throw new Error(`${url} doesn't refer to a file`);
  return readText(file);
}
