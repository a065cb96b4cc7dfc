import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Kept between runs; named by what they were made with. */
export const CLIPS_FOLDER = fileURLToPath(
  new URL("../node_modules/.cache/test-clips", import.meta.url),
);

/**
 * A clip made by ffmpeg, kept for the next test that asks for the same one.
 *
 * @param extension of the file, which also chooses the container.
 * @param args ffmpeg's arguments between the global options and the name of the output.
 * @returns the path of the file; it is shared, so copy it before changing it.
 */
export function clip(extension: string, args: readonly string[]): string {
  const name = createHash("sha256").update(JSON.stringify(args)).digest("hex").slice(0, 16);
  const file = path.join(CLIPS_FOLDER, `${name}.${extension}`);
  if (!fs.existsSync(file)) {
    fs.mkdirSync(CLIPS_FOLDER, { recursive: true });
    const partial = path.join(CLIPS_FOLDER, `${name}.${process.pid}.${extension}`);
    execFileSync("ffmpeg", ["-v", "error", "-nostdin", "-y", ...args, partial]);
    // Two workers may make the same clip at once, and two encodings differ: the first one stays, since
    // another clip may be made of it already.
    linkIfFirst(partial, file);
    fs.rmSync(partial);
  }
  return file;
}

/** Gives a complete file its name, unless another process was first. */
export function linkIfFirst(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

const picture = (seconds: number, size: string) => [
  "-f",
  "lavfi",
  "-i",
  `testsrc2=size=${size}:rate=25:duration=${seconds}`,
];
const sound = (seconds: number) => ["-f", "lavfi", "-i", `sine=frequency=440:duration=${seconds}`];

/** H.264 and AAC in MP4, `moov` first. */
export function mp4Clip(seconds = 5, size = "320x180"): string {
  return clip("mp4", [
    ...picture(seconds, size),
    ...sound(seconds),
    ..."-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 25 -c:a aac -movflags +faststart".split(
      " ",
    ),
  ]);
}

/** VP9 and Opus in WebM. */
export function webmClip(seconds = 5, size = "320x180"): string {
  return clip("webm", [
    ...picture(seconds, size),
    ...sound(seconds),
    ..."-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 200k -g 25 -c:a libopus".split(" "),
  ]);
}
