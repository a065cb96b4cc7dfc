import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { clip as cachedClip } from "./clips";

/** Small clips made by ffmpeg, for tests. Tests that need them run only where ffmpeg is. */

export interface Clip {
  /** Container by its ending: mp4, mov, mkv, webm, avi ... */
  as?: string;
  seconds?: number;
  /** Such as 320x180. */
  size?: string;
  frameRate?: string;
  /** A lavfi source; the default is a moving test card. */
  picture?: string;
  /** ffmpeg's video encoder and its options. */
  video?: string[];
  /** ffmpeg's audio encoder and its options; false for a silent film. */
  audio?: string[] | false;
  /** Options of the output, such as -movflags. */
  output?: string[];
}

/** Makes a clip, or copies one that was made so before, and returns its path. */
export function makeClip(folder: string, name: string, clip: Clip = {}): string {
  const { as = "mp4", seconds = 2, size = "320x180", frameRate = "25" } = clip;
  const picture = clip.picture ?? `testsrc2=size=${size}:rate=${frameRate}:duration=${seconds}`;
  const file = path.join(folder, `${name}.${as}`);
  const video = clip.video ?? ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
  const sound = `sine=frequency=440:sample_rate=48000:duration=${seconds}`;
  const made = cachedClip(as, [
    ...["-f", "lavfi", "-i", picture],
    ...(clip.audio === false ? [] : ["-f", "lavfi", "-i", sound]),
    ...["-c:v", ...video],
    ...(clip.audio === false ? [] : ["-c:a", ...(clip.audio ?? ["aac", "-b:a", "64k"])]),
    ...(clip.output ?? []),
  ]);
  fs.copyFileSync(made, file);
  return file;
}

/** Runs ffmpeg for a test, which fails with what ffmpeg says. */
export function ffmpeg(args: string[]): string {
  const result = spawnSync("ffmpeg", ["-v", "error", "-nostdin", "-y", ...args], {
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(`ffmpeg ${args.join(" ")}: ${result.stderr}`);
  return result.stdout;
}

/** Turns the picture of an MP4 clockwise by writing it into its header, as phones do. */
export function rotate(file: string, degrees: number): string {
  const turned = file.replace(/\.(\w+)$/, `-${degrees}.$1`);
  // ffmpeg 5 turns by this tag, the other way round; newer ones want -display_rotation.
  ffmpeg(["-i", file, "-c", "copy", "-metadata:s:v:0", `rotate=${360 - degrees}`, turned]);
  return turned;
}

/** The same file cut off after `share` of its bytes. */
export function truncated(file: string, share: number): string {
  const bytes = fs.readFileSync(file);
  const cut = file.replace(/\.(\w+)$/, `-cut-${Math.round(share * 100)}.$1`);
  fs.writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * share)));
  return cut;
}

/** What ffprobe prints about a file. */
export function ffprobe(input: string, args: string[]): string {
  const result = spawnSync("ffprobe", ["-v", "error", ...args, input], { encoding: "utf8" });
  if (result.status !== 0) throw new Error(`ffprobe ${args.join(" ")}: ${result.stderr}`);
  return result.stdout;
}
