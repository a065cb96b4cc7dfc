import { formatDuration } from "~/shared/format";
import { CHAPTER_LINE, secondsOf } from "~/shared/timestamps";

/** Moments of a video as they are typed, and as lines of its description. */

/** Hours and minutes may be missing, seconds may have fractions. A video of a day is shown as `1440:00`. */
const MOMENT = /^(?:(?:(\d{1,2}):)?(\d{1,4}):)?(\d{1,5}(?:\.\d{1,3})?)$/;

/** Seconds of a moment that somebody has typed, such as `1:30`, `1:02:03.5` or `90`; undefined for other text. */
export function parsePosition(text: string): number | undefined {
  const [, hours = "0", minutes = "0", seconds] = MOMENT.exec(text.trim()) ?? [];
  if (seconds === undefined) return undefined;
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

/** A moment as `parsePosition` reads it, to a tenth of a second, such as `1:30.5`. */
export function positionText(seconds: number): string {
  return exactPosition(Math.floor(seconds * 10) / 10);
}

/** A moment as `parsePosition` reads it, to a millisecond, such as `1:30.04`. */
export function exactPosition(seconds: number): string {
  const milliseconds = Math.round(seconds * 1_000);
  const part = String(milliseconds % 1_000)
    .padStart(3, "0")
    .replace(/0+$/, "");
  return formatDuration(Math.floor(milliseconds / 1_000)) + (part && `.${part}`);
}

/**
 * A description with one more chapter, after those that begin before it, for its name to be written
 * over. The list of chapters begins with its first at 0:00.
 *
 * @param seconds where it begins; parts of a second do not count.
 * @returns where the name stands in the text, besides.
 */
export function withChapter(
  description: string,
  seconds: number,
): { text: string; from: number; to: number } {
  const start = Math.floor(seconds);
  const lines = description === "" ? [] : description.split("\n");
  const startOf = (line: string) => {
    const time = CHAPTER_LINE.exec(line)?.[1];
    return time === undefined ? undefined : secondsOf(time);
  };
  if (start > 0 && !lines.some((line) => startOf(line) === 0)) {
    const first = lines.findIndex((line) => startOf(line) !== undefined);
    lines.splice(first < 0 ? lines.length : first, 0, "0:00 Beginning");
  }
  const before = lines.findLastIndex((line) => (startOf(line) ?? start + 1) <= start);
  const at = before < 0 ? lines.length : before + 1;
  const name = "Chapter";
  lines.splice(at, 0, `${formatDuration(start)} ${name}`);
  const to = lines.slice(0, at + 1).join("\n").length;
  return { text: lines.join("\n"), from: to - name.length, to };
}
