import path from "node:path";
import { MOST_SOUNDS, soundsFor } from "~/media/encode/sounds";
import { readText as readMediaText } from "~/media/files/local-copies.server";
import { diskUsage } from "~/media/media-files.server";
import type { Probe } from "~/media/probe/probe.server";

/** Of a film's length: a file or stream that is shorter has lost a part of it. */
export const LEAST_PART = 0.95;

/**
 * Whether a stream can stand for the file that it was made from: every playlist that the master names is
 * ended and as long as the film, the files have all bytes that the playlists name, and every sound of the
 * film is among them.
 *
 * @param master the file of the multivariant playlist (RFC 8216 §4.3.4).
 */
export async function isWholeStream(master: string, film: Probe): Promise<boolean> {
  const text = await readText(master);
  const sounds = text.match(/^#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="(?:stereo|surround)"/gm) ?? [];
  if (film.sounds.length > MOST_SOUNDS) return false;
  if (sounds.length < soundsFor(film.sounds, false).length) return false;
  return hasWholePlaylists(master, film.durationSeconds);
}

/**
 * The files of a stream that an original may be removed for: its largest rendition, and its audio tracks,
 * which may be all that is left of further languages.
 */
export async function verifiedFilesOf(master: string) {
  const text = await readText(master);
  const renditions = [...text.matchAll(/^(\d+)p\.m3u8$/gm)].map(([, side]) => Number(side));
  const audio = [...text.matchAll(/^#EXT-X-MEDIA:TYPE=AUDIO,.*URI="([^"/]+)\.m3u8"/gm)];
  const fileOf = (name: string) => path.join(path.dirname(master), `${name}.mp4`);
  return {
    rendition: fileOf(`${Math.max(...renditions)}p`),
    audio: [...new Set(audio.map(([, name]) => fileOf(name!)))],
  };
}

/** Whether every playlist that the master names is ended and that long, and its files have all bytes. */
export async function hasWholePlaylists(master: string, seconds: number): Promise<boolean> {
  const text = await readText(master);
  const pictures = text.match(/^#EXT-X-STREAM-INF:.*\n.+$/gm) ?? [];
  const playlists = [
    ...pictures.map((tag) => tag.split("\n")[1]!),
    ...[...text.matchAll(/^#EXT-X-(?:MEDIA:TYPE=AUDIO|I-FRAME).*URI="([^"]+)"/gm)].map(
      ([, uri]) => uri!,
    ),
  ];
  for (const playlist of new Set(playlists)) {
    if (!(await isWhole(path.join(path.dirname(master), playlist), seconds))) {
      return false;
    }
  }
  return pictures.length > 0;
}

async function isWhole(playlist: string, seconds: number): Promise<boolean> {
  const text = await readText(playlist);
  if (!/^#EXT-X-ENDLIST$/m.test(text)) return false;
  let lasts = 0;
  for (const [, duration] of text.matchAll(/^#EXTINF:([\d.]+)/gm)) lasts += Number(duration);
  if (lasts < seconds * LEAST_PART) return false;
  const ends = new Map<string, number>();
  for (const [, bytes, offset, file] of text.matchAll(
    /^#EXT-X-BYTERANGE:(\d+)@(\d+)\n([^#\n]+)$/gm,
  )) {
    ends.set(file!, Math.max(ends.get(file!) ?? 0, Number(offset) + Number(bytes)));
  }
  for (const [file, end] of ends) {
    if ((await diskUsage(path.join(path.dirname(playlist), file))) < end) return false;
  }
  return ends.size > 0;
}

/** Empty for a file that is not there. */
async function readText(file: string): Promise<string> {
  try {
    return await readMediaText(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
