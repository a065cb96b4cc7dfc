import fs from "node:fs";
import path from "node:path";
import { Parser } from "m3u8-parser";
import type { SiteProcess } from "../site-process";
import { BEEP_SECONDS, beepAt, LIGHT, lightAt, MOMENTS, SECONDS } from "./files";
import type { Kind } from "./kinds";

/** Seconds by which a length may miss: a picture at 5 a second, and a frame of sound. */
const LENGTH_MISSES = 0.25;
/** Of 255: rounding, ranges and what an encoder loses. */
const LIGHT_MISSES = 14;
const SOUND_MISSES_SECONDS = 0.08;

interface Playlist {
  segments: { duration: number }[];
  endList: boolean;
  playlists: { uri: string; attributes: { RESOLUTION?: unknown } }[];
}

export interface Row {
  id: string;
  status: string;
  duration: string;
  video_url: string;
  source_url: string | null;
  hls_url: string | null;
}

/** What is wrong with a video that was made of a file, one sentence each; nothing when all is well. */
export async function faultsOf(site: SiteProcess, kind: Kind, row: Row): Promise<string[]> {
  const onDisk = (url: string) => path.join(site.uploads, url.replace("/media/", ""));
  if (!row.video_url) return ["nothing can be played"];
  const playing = onDisk(row.video_url);
  return [
    ...(await pictureFaults(playing, kind)),
    ...(await soundFaults(playing, kind)),
    ...(row.hls_url ? await streamFaults(onDisk(row.hls_url), kind) : []),
  ];
}

/** What is wrong with the length that the site shows. */
export function lengthFaults(kind: Kind, { duration }: Pick<Row, "duration">): string[] {
  if (kind.group === "Damaged") return [];
  const seconds = Math.floor((kind.seconds ?? SECONDS) + 0.01);
  return duration === `0:0${seconds}` ? [] : [`its length is shown as ${duration}`];
}

async function pictureFaults(file: string, kind: Kind): Promise<string[]> {
  if (kind.hasPicture === false) return [];
  const faults: string[] = [];
  for (const [second, moment] of MOMENTS.entries()) {
    if (moment > (kind.seconds ?? SECONDS)) break;
    const light = await lightAt(file, moment);
    if (light === undefined) faults.push(`no picture at ${moment} s`);
    else if (Math.abs(light - luma(LIGHT[second]!)) > LIGHT_MISSES) {
      faults.push(`the light at ${moment} s is ${light}, not ${luma(LIGHT[second]!).toFixed(0)}`);
    }
  }
  return faults;
}

/** From the range of video, 16 to 235, to that of a screen. */
const luma = (value: number) => ((value - 16) / 219) * 255;

async function soundFaults(file: string, kind: Kind): Promise<string[]> {
  if (kind.hasSound === false) return [];
  const beep = await beepAt(file);
  if (beep === undefined) return ["no sound"];
  const offset = beep - BEEP_SECONDS;
  return Math.abs(offset) > SOUND_MISSES_SECONDS ? [`sound off by ${offset.toFixed(3)} s`] : [];
}

/** Playlists by a second parser, the pictures of every rendition, and the sound alone. */
async function streamFaults(master: string, kind: Kind): Promise<string[]> {
  const { playlists } = parse(master);
  if (playlists.length === 0) return ["the playlist is empty"];
  const faults: string[] = [];
  for (const { uri, attributes } of playlists) {
    const { segments, endList } = parse(path.join(path.dirname(master), uri));
    const seconds = segments.reduce((sum, { duration }) => sum + duration, 0);
    if (segments.length === 0 || !endList) faults.push(`${uri} is not a finished playlist`);
    const misses = Math.abs(seconds - (kind.seconds ?? SECONDS));
    if (kind.group !== "Damaged" && misses > LENGTH_MISSES)
      faults.push(`${uri} lasts ${seconds} s`);
    const media = path.join(path.dirname(master), uri.replace(".m3u8", ".mp4"));
    const found = await (attributes.RESOLUTION ? pictureFaults : soundFaults)(media, kind);
    for (const fault of found) faults.push(`${uri}: ${fault}`);
  }
  return faults;
}

function parse(file: string): Playlist {
  const parser = new Parser();
  parser.push(fs.readFileSync(file, "utf8"));
  parser.end();
  return parser.manifest as unknown as Playlist;
}
