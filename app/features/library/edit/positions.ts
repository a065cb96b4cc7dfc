import { formatDuration } from "~/shared/format";
import { CHAPTER_LINE, secondsOf } from "~/shared/timestamps";

/** Positions in a video, as typed by users and as used in the chapter lines of a description. */

/** Hours and minutes are optional, and seconds may have fractions. A duration of one day is written `1440:00`. */
const POSITION = /^(?:(?:(\d{1,2}):)?(\d{1,4}):)?(\d{1,5}(?:\.\d{1,3})?)$/;

/** Parses a typed position such as `1:30`, `1:02:03.5` or `90`. Returns seconds, or undefined for other text. */
export function parsePosition(text: string): number | undefined {
  const [, hours = "0", minutes = "0", seconds] = POSITION.exec(text.trim()) ?? [];
  if (seconds === undefined) return undefined;
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

/** Formats a position for `parsePosition`, rounded to a tenth of a second, such as `1:30.5`. */
export function formatPosition(seconds: number): string {
  return formatExactPosition(Math.floor(seconds * 10) / 10);
}

/** Formats a position for `parsePosition`, rounded to a millisecond, such as `1:30.04`. */
export function formatExactPosition(seconds: number): string {
  const milliseconds = Math.round(seconds * 1_000);
  const part = String(milliseconds % 1_000)
    .padStart(3, "0")
    .replace(/0+$/, "");
  return formatDuration(Math.floor(milliseconds / 1_000)) + (part && `.${part}`);
}

/**
 * Inserts a chapter line into a description, after the chapters that start earlier, with a placeholder name. Adds a
 * first chapter at 0:00 if there is none.
 *
 * @param seconds the chapter's start position; fractions are dropped.
 * @returns the new description, and the range of the placeholder within it.
 */
export function insertChapter(
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
