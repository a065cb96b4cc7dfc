import { readFile } from "node:fs/promises";
import path from "node:path";
import { bucketFile, mediaUrl, parseMediaUrl } from "../bucket.server";

/** What a player needs of a stream before its first picture: the smallest rendition's beginning. */
export interface StreamStart {
  /** Of the smallest rendition. */
  playlistUrl: string;
  /** The file that begins with the header and the first segment. */
  segmentUrl: string;
  /** Of both together, from the beginning of the file. */
  bytes: number;
}

/**
 * Reads it from the playlists (RFC 8216), so that the page can name it and the player need not ask
 * for one after the other. Undefined where the stream is stored in another way.
 */
export async function streamStart(hlsUrl: string): Promise<StreamStart | undefined> {
  try {
    const master = await readMedia(hlsUrl);
    const [smallest] = [...master.matchAll(VARIANT)].sort((a, b) => Number(a[1]) - Number(b[1]));
    const playlistUrl = smallest && beside(hlsUrl, smallest[2]!);
    if (!playlistUrl) return undefined;
    const playlist = await readMedia(playlistUrl);
    const [, header] = HEADER.exec(playlist) ?? [];
    const [, length, offset, file] = SEGMENT.exec(playlist) ?? [];
    const segmentUrl = header === file && file !== undefined && beside(playlistUrl, file);
    if (!segmentUrl) return undefined;
    return { playlistUrl, segmentUrl, bytes: Number(length) + Number(offset) };
  } catch {
    // No such file: the player finds out by itself.
    return undefined;
  }
}

const VARIANT = /^#EXT-X-STREAM-INF:(?:[^\n]*,)?BANDWIDTH=(\d+)[^\n]*\n([\w.-]+)\r?$/gm;
const HEADER = /^#EXT-X-MAP:URI="([\w.-]+)",BYTERANGE="\d+@0"\r?$/m;
const SEGMENT = /^#EXT-X-BYTERANGE:(\d+)@(\d+)\r?\n([\w.-]+)\r?$/m;

/** A file of the same folder. */
function beside(url: string, file: string): string {
  return `${path.posix.dirname(url)}/${file}`;
}

async function readMedia(url: string): Promise<string> {
  const name = parseMediaUrl(url);
  const file =
    name && mediaUrl(name.bucket, name.path) === url && bucketFile(name.bucket, name.path);
  if (!file) throw new Error(`${url} names no file`);
  return readFile(file, "utf8");
}
