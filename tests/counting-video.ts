import { spawnSync } from "node:child_process";
import { makeClip } from "./media-clips";

const RATE = 10;
const SECONDS = 5;
const MIN_LUMA = 16;
const STEP = 4;
const [WIDTH, HEIGHT] = [160, 90];

/** Creates a video in which each frame's luma encodes the frame's number. Returns its path. */
export function countingVideo(folder: string, extension = "mp4"): string {
  const luma = `lum='${MIN_LUMA}+${STEP}*N':cb=128:cr=128`;
  return makeClip(folder, "counting", {
    extension,
    videoSource: `nullsrc=s=${WIDTH}x${HEIGHT}:r=${RATE}:d=${SECONDS},format=yuv420p,geq=${luma}`,
    // The Matroska file has B-frames, and its only keyframe is the first frame.
    video:
      `libx264 -preset ${extension === "mkv" ? "medium" : "ultrafast"} -crf 1 -pix_fmt yuv420p`.split(
        " ",
      ),
    audio: extension === "mkv" ? ["flac"] : undefined,
    audioSource: `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`,
  });
}

/** Returns the numbers of a file's frames, read from the luma of each frame's center pixel. */
export function frameNumbers(file: string): number[] {
  const { stdout } = spawnSync(
    "ffmpeg",
    ["-v", "error", "-i", file, "-vsync", "passthrough", "-f", "rawvideo", "-"],
    { maxBuffer: 16 * 1024 ** 2 },
  );
  const pixels = WIDTH * HEIGHT;
  const numbers: number[] = [];
  // In 4:2:0, the chroma planes take half as many bytes as the luma plane.
  for (let at = 0; at < stdout.length; at += pixels * 1.5) {
    const luma = stdout[at + pixels / 2 + WIDTH / 2] ?? 0;
    numbers.push(Math.round((luma - MIN_LUMA) / STEP));
  }
  return numbers;
}
