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
  /** ffmpeg's audio encoder and its options; false for a silent video. */
  audio?: string[] | false;
  /** A lavfi source; the default is a tone as long as the picture. */
  sound?: string;
  /** Options of the output, such as -movflags. */
  output?: string[];
}

/** Makes a clip, or copies one that was made so before, and returns its path. */
export function makeClip(folder: string, name: string, clip: Clip = {}): string {
  const { as = "mp4", seconds = 2, size = "320x180", frameRate = "25" } = clip;
  const picture = clip.picture ?? `testsrc2=size=${size}:rate=${frameRate}:duration=${seconds}`;
  const file = path.join(folder, `${name}.${as}`);
  const video = clip.video ?? ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
  const sound = clip.sound ?? `sine=frequency=440:sample_rate=48000:duration=${seconds}`;
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

const KEY = "76a6c65c5ea762046bd749a2e632ccbb";
const CENC = ["-encryption_scheme", "cenc-aes-ctr", "-encryption_key", KEY, "-encryption_kid", KEY];

/** An MP4 by Common Encryption, as streaming services deliver them. */
export function encryptedClip(folder: string, name: string, clip: Clip = {}): string {
  return makeClip(folder, name, { ...clip, output: [...(clip.output ?? []), ...CENC] });
}

/** The same file with one text of its header in place of another of the same length. */
export function patched(file: string, name: string, from: string, to: string): string {
  const bytes = fs.readFileSync(file);
  const at = bytes.indexOf(from, 0, "latin1");
  if (at < 0) throw new Error(`${file} has no ${from}.`);
  bytes.write(to, at, "latin1");
  const other = path.join(path.dirname(file), name);
  fs.writeFileSync(other, bytes);
  return other;
}

/** A Matroska file that says that its pictures are encrypted (ContentEncodings of RFC 9559 §5.1.4). */
export function encryptedMatroska(folder: string, name: string): string {
  const title = "t".repeat(40);
  const output = ["-metadata:s:v:0", `title=${title}`];
  const file = makeClip(folder, name, { as: "mkv", output });
  const encryption = "5035 8f 47e18105 47e288 0102030405060708";
  const encoding = `6240 9e 50318100 50328101 50338101 ${encryption}`;
  const element = Buffer.from(`6d80 a8 ${encoding} ec85 0000000000`.replaceAll(" ", ""), "hex");
  const bytes = fs.readFileSync(file);
  // In the place of the name of the track, which is as long.
  element.copy(bytes, bytes.indexOf(`\u0053\u006e\u00a8${title}`, 0, "latin1"));
  fs.writeFileSync(file, bytes);
  return file;
}

/** What ffprobe prints about a file. */
export function ffprobe(input: string, args: string[]): string {
  const result = spawnSync("ffprobe", ["-v", "error", ...args, input], { encoding: "utf8" });
  if (result.status !== 0) throw new Error(`ffprobe ${args.join(" ")}: ${result.stderr}`);
  return result.stdout;
}
