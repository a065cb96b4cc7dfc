import type { Quality } from "./adaptive";

export function speedLabel(speed: number): string {
  return speed === 1 ? "Normal" : `${speed}×`;
}

/** `height` is the rendition on screen, 0 while unknown: "Auto (720p)". */
export function qualityLabel(quality: Quality | "file", height: number): string {
  if (quality === "file") return "Original";
  if (quality === "auto") return height > 0 ? `Auto (${height}p)` : "Auto";
  return `${quality}p`;
}
