import { readFile } from "node:fs/promises";
import path from "node:path";
import { readText } from "../../files/local-copies.server";
import type { Pictures } from "../dash-manifest";
import { manifestWith, readHeaderBytes, readSegments } from "./add-renditions";

export const MANIFEST = "manifest.mpd";

/** A picture in a further codec, as the master playlist names it for each group of sounds. */
const ADDED =
  /^#EXT-X-STREAM-INF:.*CODECS="([^",]+)[^"]*",RESOLUTION=(\d+)x(\d+),FRAME-RATE=([\d.]+).*\n((?:av1|hevc)-[\w-]+)\.m3u8$/gm;

/**
 * The manifest of a stream with all that its master playlist has in further codecs; undefined where it
 * has all of that, or where there is none. It is read from the playlists, so that a site which was
 * killed between the two comes to the same text without encoding anything again.
 *
 * @param stream the folder of the stream.
 * @param made where files are that belong there and are not there yet.
 */
export async function completeManifest(
  stream: string,
  made: string,
  master: string,
): Promise<string | undefined> {
  const before = await readText(path.join(stream, MANIFEST)).catch(() => "");
  const byCodec = new Map<string, Pictures[]>();
  for (const [name, codec, width, height, frameRate] of namedIn(master)) {
    const file = `${name}.mp4`;
    if (before.includes(`<BaseURL>${file}</BaseURL>`)) continue;
    const playlist = await readFile(path.join(made, `${name}.m3u8`), "utf8").catch(() =>
      readText(path.join(stream, `${name}.m3u8`)),
    );
    const sampleEntry = codec.split(".")[0]!;
    const set = byCodec.get(sampleEntry) ?? [];
    set.push({
      ...{ file, codec, headerBytes: readHeaderBytes(playlist) },
      segments: readSegments(playlist),
      ...{ width: Number(width), height: Number(height), frameRate: Number(frameRate) },
    });
    byCodec.set(sampleEntry, set);
  }
  const after = [...byCodec.values()].reduce(manifestWith, before);
  return after === before ? undefined : after;
}

function namedIn(master: string): [string, string, string, string, string][] {
  const all = new Map<string, [string, string, string, string, string]>();
  for (const [, codec, width, height, frameRate, name] of master.matchAll(ADDED)) {
    if (!all.has(name!)) all.set(name!, [name!, codec!, width!, height!, frameRate!]);
  }
  return [...all.values()];
}
