import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { clip } from "../clips";
import type { Kind } from "./kinds";

const execute = promisify(execFile);

export const SECONDS = 3;
const SIZE = "160x90";
/** The luma of the frames in each second. A decoded frame's timestamp can be derived from its luma. */
export const LUMA = [48, 112, 176];
export const BEEP_SECONDS = 1;
/** The timestamps of the frames whose luma is checked. Each is in the middle of a second. */
export const TIMESTAMPS = [0.5, 1.5, 2.5];

const VIDEO_SOURCE =
  `color=gray:size=${SIZE}:rate=25:duration=${SECONDS},format=yuv420p,` +
  `lutyuv=y=${LUMA[0]}:enable='lt(t,1)',lutyuv=y=${LUMA[1]}:enable='between(t,1,1.999)',` +
  `lutyuv=y=${LUMA[2]}:enable='gte(t,2)'`;
const AUDIO_SOURCE = `aevalsrc='if(between(t,${BEEP_SECONDS},${BEEP_SECONDS}+0.3),sin(2764*t)*0.8,0)':sample_rate=48000:duration=`;

const words = (text: string | undefined) => (text ?? "").split(" ").filter(Boolean);

/** Creates a file of the given kind, and returns its path. The file name contains the kind's index in the table. */
export function createFile(folder: string, kind: Kind, number: number): string {
  const file = path.join(folder, `${String(number).padStart(3, "0")}.${kind.extension}`);
  fs.writeFileSync(file, contentOf(kind));
  return file;
}

function contentOf(kind: Kind): Buffer {
  if (kind.content) return kind.content;
  const audioSeconds = kind.name.includes("longer audio") ? 40 : SECONDS;
  const maps = kind.encode.includes("-map") || kind.encode.includes("-an") ? "" : "-map 0 -map 1";
  const encoded = clip(kind.extension, [
    ...words(kind.inputs?.video),
    ...["-f", "lavfi", "-i", VIDEO_SOURCE],
    ...words(kind.inputs?.audio),
    ...["-f", "lavfi", "-i", `${AUDIO_SOURCE}${audioSeconds}`],
    ...words(maps),
    ...(kind.videoFilter ? ["-vf", kind.videoFilter] : []),
    ...words(kind.encode),
    // Makes each file's bytes unique, so that the site doesn't treat it as a duplicate.
    ...["-metadata", `comment=${kind.group} ${kind.name}`],
  ]);
  const bytes = fs.readFileSync(encoded);
  return kind.damage ? kind.damage(bytes) : bytes;
}

/** Returns the mean luma, from 0 to 255, of the frame at a timestamp, or undefined if there is no frame. */
export async function lumaAt(file: string, seconds: number): Promise<number | undefined> {
  const { stdout } = await execute(
    "ffmpeg",
    [
      ...["-v", "error", "-nostdin", "-ss", String(seconds), "-i", file, "-frames:v", "1"],
      ...["-vf", "scale=1:1:flags=area,format=gray", "-f", "rawvideo", "-"],
    ],
    { encoding: "buffer" },
  );
  return stdout[0];
}

const RATE = 8_000;

/** Returns the time in seconds at which the beep starts, or undefined if there is no beep. */
export async function beepAt(file: string): Promise<number | undefined> {
  const { stdout } = await execute(
    "ffmpeg",
    [
      ...[
        "-v",
        "error",
        "-nostdin",
        "-i",
        file,
        "-map",
        "0:a:0",
        "-af",
        "aresample=async=1:first_pts=0",
      ],
      ...["-ac", "1", "-ar", String(RATE), "-f", "s16le", "-"],
    ],
    { encoding: "buffer", maxBuffer: 64 * 1024 ** 2 },
  );
  for (let at = 0; at + 2 <= stdout.length; at += 2) {
    if (Math.abs(stdout.readInt16LE(at)) > 6_000) return at / 2 / RATE;
  }
  return undefined;
}
