import fs from "node:fs";
import path from "node:path";
import { Parser } from "m3u8-parser";
import type { SiteProcess } from "../site-process";
import { BEEP_SECONDS, beepAt, LUMA, lumaAt, SECONDS, TIMESTAMPS } from "./files";
import type { Kind } from "./kinds";

/** The length of a video frame at 5 fps, plus the length of an audio frame. */
const DURATION_TOLERANCE_SECONDS = 0.25;
/** The tolerance for luma from 0 to 255. It allows for rounding, color ranges and encoding loss. */
const LUMA_TOLERANCE = 14;
const AUDIO_TOLERANCE_SECONDS = 0.08;

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

/** Returns one phrase for each fault in the files that were created from an upload. */
export async function faultsOf(site: SiteProcess, kind: Kind, row: Row): Promise<string[]> {
  const onDisk = (url: string) => path.join(site.uploads, url.replace("/media/", ""));
  if (!row.video_url) return ["it has no playable file"];
  const playable = onDisk(row.video_url);
  return [
    ...(await videoFaults(playable, kind)),
    ...(await audioFaults(playable, kind)),
    ...(row.hls_url ? await streamFaults(onDisk(row.hls_url), kind) : []),
  ];
}

/** Returns a fault if the site shows a wrong duration. */
export function durationFaults(kind: Kind, { duration }: Pick<Row, "duration">): string[] {
  if (kind.group === "Damaged") return [];
  const seconds = Math.floor((kind.seconds ?? SECONDS) + 0.01);
  return duration === `0:0${seconds}` ? [] : [`its duration is shown as ${duration}`];
}

async function videoFaults(file: string, kind: Kind): Promise<string[]> {
  if (kind.hasLumaSteps === false) return [];
  const faults: string[] = [];
  for (const [second, timestamp] of TIMESTAMPS.entries()) {
    if (timestamp > (kind.seconds ?? SECONDS)) break;
    const luma = await lumaAt(file, timestamp);
    const expected = toFullRange(LUMA[second]!);
    if (luma === undefined) faults.push(`no frame at ${timestamp} s`);
    else if (Math.abs(luma - expected) > LUMA_TOLERANCE) {
      faults.push(`the luma at ${timestamp} s is ${luma}, not ${expected.toFixed(0)}`);
    }
  }
  return faults;
}

/** Converts luma from the limited range (16 to 235) to the full range. */
const toFullRange = (value: number) => ((value - 16) / 219) * 255;

async function audioFaults(file: string, kind: Kind): Promise<string[]> {
  if (kind.hasBeep === false) return [];
  const beep = await beepAt(file);
  if (beep === undefined) return ["no audio"];
  const offset = beep - BEEP_SECONDS;
  return Math.abs(offset) > AUDIO_TOLERANCE_SECONDS ? [`audio off by ${offset.toFixed(3)} s`] : [];
}

/** Checks the playlists with an independent parser. Also checks the files of all video and audio renditions. */
async function streamFaults(master: string, kind: Kind): Promise<string[]> {
  const { playlists } = parse(master);
  if (playlists.length === 0) return ["the playlist is empty"];
  const faults: string[] = [];
  for (const { uri, attributes } of playlists) {
    const { segments, endList } = parse(path.join(path.dirname(master), uri));
    const seconds = segments.reduce((sum, { duration }) => sum + duration, 0);
    if (segments.length === 0 || !endList) faults.push(`${uri} isn't a complete playlist`);
    const difference = Math.abs(seconds - (kind.seconds ?? SECONDS));
    if (kind.group !== "Damaged" && difference > DURATION_TOLERANCE_SECONDS)
      faults.push(`${uri} lasts ${seconds} s`);
    const media = path.join(path.dirname(master), uri.replace(".m3u8", ".mp4"));
    const found = await (attributes.RESOLUTION ? videoFaults : audioFaults)(media, kind);
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
