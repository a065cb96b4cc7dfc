import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { clip } from "../clips";
import type { Kind } from "./kinds";

const execute = promisify(execFile);

export const SECONDS = 3;
const SIZE = "160x90";
/** Light of the picture in each second: whoever sees one knows what time it is. */
export const LIGHT = [48, 112, 176];
export const BEEP_SECONDS = 1;
/** Pictures whose light is looked at, in the middle of a second. */
export const MOMENTS = [0.5, 1.5, 2.5];

const PICTURE =
  `color=gray:size=${SIZE}:rate=25:duration=${SECONDS},format=yuv420p,` +
  `lutyuv=y=${LIGHT[0]}:enable='lt(t,1)',lutyuv=y=${LIGHT[1]}:enable='between(t,1,1.999)',` +
  `lutyuv=y=${LIGHT[2]}:enable='gte(t,2)'`;
const SOUND = `aevalsrc='if(between(t,${BEEP_SECONDS},${BEEP_SECONDS}+0.3),sin(2764*t)*0.8,0)':sample_rate=48000:duration=`;

const words = (text: string | undefined) => (text ?? "").split(" ").filter(Boolean);

/** Makes the file of a kind, named by its place in the table; kept for the next run. */
export function makeFile(folder: string, kind: Kind, number: number): string {
  const file = path.join(folder, `${String(number).padStart(3, "0")}.${kind.as}`);
  fs.writeFileSync(file, contentOf(kind));
  return file;
}

function contentOf(kind: Kind): Buffer {
  if (kind.content) return kind.content;
  const soundSeconds = kind.name.includes("longer sound") ? 40 : SECONDS;
  const maps = kind.encode.includes("-map") || kind.encode.includes("-an") ? "" : "-map 0 -map 1";
  const made = clip(kind.as, [
    ...words(kind.inputs?.picture),
    ...["-f", "lavfi", "-i", PICTURE],
    ...words(kind.inputs?.sound),
    ...["-f", "lavfi", "-i", `${SOUND}${soundSeconds}`],
    ...words(maps),
    ...(kind.picture ? ["-vf", kind.picture] : []),
    ...words(kind.encode),
    // No two files have the same bytes: the site would take one for a duplicate of the other.
    ...["-metadata", `comment=${kind.group} ${kind.name}`],
  ]);
  const bytes = fs.readFileSync(made);
  return kind.damage ? kind.damage(bytes) : bytes;
}

/** The mean light of the picture at a time, 0 to 255; undefined when there is none. */
export async function lightAt(file: string, seconds: number): Promise<number | undefined> {
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

/** When the beep begins, in seconds; undefined when there is none. */
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
