import fs from "node:fs";
import { ffmpeg } from "../media-clips";

/** Clips in which a flash and a beep coincide, and functions that find those flashes and beeps in converted files. */

/** Returns a lavfi source of a black video with a flash of 0.2 seconds. */
export const flash = (at: number, seconds: number, size = "160x90") =>
  `color=black:size=${size}:rate=${FLASH_FRAME_RATE}:duration=${seconds},` +
  `drawbox=color=white:t=fill:enable='between(t,${at},${at}+0.19)'`;
/** Returns a lavfi source of silence with a beep of 0.2 seconds. */
export const beep = (at: number, seconds: number, sampleRate = 48_000) =>
  `aevalsrc='if(between(t,${at},${at}+0.19),sin(2764*t)*0.8,0)':sample_rate=${sampleRate}:duration=${seconds}`;

export const FLASH_FRAME_RATE = 25;
const BEEP_RATE = 8_000;
/**
 * The minimum number of quiet samples between two beeps. They last longer than one period of the beep's tone, but
 * shorter than the silence.
 */
const SILENT_SAMPLES = BEEP_RATE * 0.1;

/**
 * Returns the times in seconds at which flashes begin in a video with a constant frame rate, and its number of frames.
 */
export function flashesIn(file: string): { times: number[]; frames: number } {
  const filter = `fps=${FLASH_FRAME_RATE}:start_time=0,scale=1:1:flags=area,format=gray`;
  const light = decode(file, ["-map", "0:v:0", "-vf", filter, "-f", "rawvideo"]);
  const isBright = (at: number) => at >= 0 && light[at]! > 128;
  const times = [...light.keys()]
    .filter((at) => isBright(at) && !isBright(at - 1))
    .map((at) => at / FLASH_FRAME_RATE);
  return { times, frames: light.length };
}

/** Returns the times in seconds at which beeps begin, and the duration of the audio. */
export function beepsIn(file: string): { times: number[]; seconds: number } {
  const filter = "aresample=async=1:first_pts=0";
  const options = ["-map", "0:a:0", "-af", filter, "-ac", "1", "-ar", String(BEEP_RATE)];
  const bytes = decode(file, [...options, "-f", "s16le"]);
  const samples = new Int16Array(new Uint8Array(bytes).buffer);
  const times: number[] = [];
  let heardAt = Number.NEGATIVE_INFINITY;
  for (const [at, sample] of samples.entries()) {
    if (Math.abs(sample) < 6_000) continue;
    if (at - heardAt > SILENT_SAMPLES) times.push(at / BEEP_RATE);
    heardAt = at;
  }
  return { times, seconds: samples.length / BEEP_RATE };
}

function decode(file: string, options: string[]): Buffer {
  const raw = `${file}.raw`;
  ffmpeg(["-i", file, ...options, raw]);
  const bytes = fs.readFileSync(raw);
  fs.rmSync(raw);
  return bytes;
}
