import { spawnSync } from "node:child_process";
import { makeClip } from "./media-clips";

const RATE = 10;
const SECONDS = 5;
const DARKEST = 16;
const STEP = 4;
const [WIDTH, HEIGHT] = [160, 90];

/** A video whose pictures tell their number by how light they are. */
export function countingVideo(folder: string, as = "mp4"): string {
  const light = `lum='${DARKEST}+${STEP}*N':cb=128:cr=128`;
  return makeClip(folder, "counting", {
    as,
    picture: `nullsrc=s=${WIDTH}x${HEIGHT}:r=${RATE}:d=${SECONDS},format=yuv420p,geq=${light}`,
    // In Matroska with pictures that refer to later ones, and a keyframe at the start alone.
    video: `libx264 -preset ${as === "mkv" ? "medium" : "ultrafast"} -crf 1 -pix_fmt yuv420p`.split(
      " ",
    ),
    audio: as === "mkv" ? ["flac"] : undefined,
    sound: `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`,
  });
}

/** The numbers of the pictures that a file has, by the light in their middle. */
export function numbersOf(file: string): number[] {
  const { stdout } = spawnSync(
    "ffmpeg",
    ["-v", "error", "-i", file, "-vsync", "passthrough", "-f", "rawvideo", "-"],
    { maxBuffer: 16 * 1024 ** 2 },
  );
  const pixels = WIDTH * HEIGHT;
  const numbers: number[] = [];
  // 4:2:0: colours take half as many bytes as light.
  for (let at = 0; at < stdout.length; at += pixels * 1.5) {
    const light = stdout[at + pixels / 2 + WIDTH / 2] ?? 0;
    numbers.push(Math.round((light - DARKEST) / STEP));
  }
  return numbers;
}
