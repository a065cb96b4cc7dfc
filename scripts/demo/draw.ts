import { execa } from "execa";
import sharp from "sharp";
import type { Scene } from "./scenes";

/** The width of the panorama relative to the clip, so that the camera can pan. */
const PANORAMA = 1.5;
const FRAMES_PER_SECOND = 15;

/**
 * Draws a landscape in the scene's colors: the sky, the sun and three ranges of hills. The result is the same each
 * time.
 */
export async function drawPanorama(scene: Scene, seed: number, file: string): Promise<void> {
  const width = Math.round((scene.width * PANORAMA) / 2) * 2;
  const height = scene.height;
  const [above, horizon, sun, hills] = scene.colors;
  const sunX = width * (0.35 + 0.3 * noise(seed, 1));
  const ranges = [0.45, 0.7, 1].map((opacity, index) => {
    const level = height * (0.58 + 0.14 * index);
    return `<path d="${range(width, height, level, seed * 7 + index)}" fill="${hills}" fill-opacity="${opacity}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs>
      <linearGradient id="sky" x2="0" y2="1">
        <stop stop-color="${above}"/><stop offset="0.72" stop-color="${horizon}"/>
      </linearGradient>
      <radialGradient id="glow"><stop stop-color="${sun}" stop-opacity="0.75"/>
        <stop offset="1" stop-color="${sun}" stop-opacity="0"/></radialGradient>
    </defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="${sunX}" cy="${height * 0.42}" r="${height * 0.42}" fill="url(#glow)"/>
    <circle cx="${sunX}" cy="${height * 0.42}" r="${height * 0.09}" fill="${sun}"/>
    ${ranges.join("")}
  </svg>`;
  await sharp(Buffer.from(svg)).png().toFile(file);
}

/** Crops the middle of the panorama for use as the thumbnail. */
export async function cutPoster(scene: Scene, panorama: string, file: string): Promise<void> {
  await sharp(panorama).resize(scene.width, scene.height, { fit: "cover" }).png().toFile(file);
}

/** Encodes a slow pan over the panorama with a quiet tone, as H.264 and AAC in MP4. */
export async function videoPanorama(scene: Scene, panorama: string, file: string): Promise<void> {
  const { seconds, width, height } = scene;
  const pan = `crop=${width}:${height}:(iw-ow)*t/${seconds}:0,format=yuv420p`;
  const tone = `sine=frequency=${110 + (seconds % 9) * 20}:duration=${seconds},volume=0.15`;
  await execa("ffmpeg", [
    ...["-v", "error", "-nostdin", "-y", "-loop", "1", "-framerate", String(FRAMES_PER_SECOND)],
    ...["-t", String(seconds), "-i", panorama, "-f", "lavfi", "-i", tone, "-vf", pan],
    ...[
      "-c:v",
      "libx264",
      "-preset",
      "veryfast",
      "-crf",
      "26",
      "-g",
      String(2 * FRAMES_PER_SECOND),
    ],
    ...["-c:a", "aac", "-b:a", "64k", "-shortest", "-movflags", "+faststart", file],
  ]);
}

/** Returns a ridge of hills as an SVG path, closed along the bottom. */
function range(width: number, height: number, level: number, seed: number): string {
  const steps = 9;
  const points = Array.from({ length: steps + 1 }, (_, index) => {
    const x = (width * index) / steps;
    const y = level - height * 0.22 * noise(seed, index);
    return { x, y };
  });
  const curve = points.slice(1).map(({ x, y }, index) => {
    const from = points[index]!;
    const middle = (from.x + x) / 2;
    return `C${middle},${from.y} ${middle},${y} ${x},${y}`;
  });
  return `M0,${height} L0,${points[0]!.y} ${curve.join(" ")} L${width},${height} Z`;
}

/** Returns a pseudorandom number from 0 to 1, which is always the same for the same arguments. */
function noise(seed: number, index: number): number {
  const wave = Math.sin(seed * 127.1 + index * 311.7) * 43_758.5453;
  return wave - Math.floor(wave);
}
