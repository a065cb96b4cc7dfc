import { parseUrl } from "../addresses";
import { secondsOf } from "../timestamps";
export interface StoryboardFrame {
  /** Seconds. */
  start: number;
  end: number;
  /** The URL of the sprite sheet. */
  sheet: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

const TIMING = /^((?:\d+:)?\d{2}:\d{2}\.\d{3})\s+-->\s+((?:\d+:)?\d{2}:\d{2}\.\d{3})/;
/** Matches a region in pixels, the default unit (Media Fragments URI 1.0 §4.2.2). */
const FRAGMENT = /^(.*)#xywh=(?:pixel:)?(\d+),(\d+),(\d+),(\d+)$/;

/**
 * Parses a storyboard's tiles from WebVTT with cues that refer to regions of sprite sheets. Skips other cues. Resolves
 * URLs against `base`, the URL of the WebVTT file.
 */
export function parseStoryboard(text: string, base: string): StoryboardFrame[] {
  const frames: StoryboardFrame[] = [];
  for (const block of text.replace(/\r\n?/g, "\n").split(/\n{2,}/)) {
    const lines = block.split("\n");
    const at = lines.findIndex((line) => line.includes("-->"));
    const timing = TIMING.exec(lines[at]?.trim() ?? "");
    const fragment = FRAGMENT.exec(lines[at + 1]?.trim() ?? "");
    if (!timing || !fragment) continue;
    const [x = 0, y = 0, width = 0, height = 0] = fragment.slice(2).map(Number);
    const sheet = parseUrl(fragment[1]!, base);
    if (width === 0 || height === 0 || !sheet) continue;
    frames.push({
      start: secondsOf(timing[1]!),
      end: secondsOf(timing[2]!),
      sheet: sheet.href,
      x,
      y,
      width,
      height,
    });
  }
  return frames.sort((a, b) => a.start - b.start);
}

/** Returns the last tile that starts at or before `time`. */
export function frameAt(frames: StoryboardFrame[], time: number): StoryboardFrame | undefined {
  return frames.findLast(({ start }) => start <= time) ?? frames[0];
}
