/** Timestamps in descriptions, such as `1:30`, and the chapters that they define. */

export interface Chapter {
  name: string;
  /** The number of seconds from the start of the video. */
  start: number;
}

/** The maximum number of timestamps. A longer list can't be a table of contents. */
const MAX_CHAPTERS = 100;
const MIN_CHAPTERS = 3;

/** Matches `m:ss`, `mmm:ss` or `h:mm:ss`. */
const TIME = String.raw`(?:\d{1,2}:[0-5]\d|\d{1,3}):[0-5]\d`;
/** Excludes matches that are part of something longer: a word, a ratio, a path, a date or a time with fractions. */
const IN_TEXT = new RegExp(String.raw`(^|[^\w:.,/])(${TIME})(?![\w:/]|[.,]\d)`, "g");
/** Matches a line that starts with a time, optionally in brackets and after a list marker. */
export const CHAPTER_LINE = new RegExp(
  String.raw`^\s*(?:[-*•–—]\s*)?[([]?(${TIME})(?![\w:])[)\]]?\s*(?:[-–—:|]\s*)?(\S.*)$`,
);

/** A part of a description: plain text, or a timestamp in the video. */
export interface TimedPart {
  text: string;
  seconds?: number;
}

/** Splits a description at the timestamps that are within the video. A duration of 0 means that it is unknown. */
export function timedParts(text: string, durationSeconds: number): TimedPart[] {
  const parts: TimedPart[] = [];
  let end = 0;
  for (const match of text.matchAll(IN_TEXT)) {
    const [, before = "", time = ""] = match;
    const seconds = secondsOf(time);
    if (!isWithin(seconds, durationSeconds)) continue;
    const at = match.index + before.length;
    if (at > end) parts.push({ text: text.slice(end, at) });
    parts.push({ text: time, seconds });
    end = at + time.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/**
 * Returns the chapters that a description lists: at least three lines with a time and a name, the first at 0:00, in
 * ascending order. Otherwise, returns an empty list. There is no separate field for chapters, because the descriptions
 * of imported videos already contain them.
 */
export function chaptersOf(description: string, durationSeconds: number): Chapter[] {
  const chapters: Chapter[] = [];
  for (const line of description.split(/\r\n?|\n/)) {
    const [, time, name] = CHAPTER_LINE.exec(line) ?? [];
    if (time === undefined || name === undefined) continue;
    const start = secondsOf(time);
    const previous = chapters.at(-1);
    if (previous ? start <= previous.start : start !== 0) return [];
    if (isWithin(start, durationSeconds)) chapters.push({ name: name.trim(), start });
  }
  const fits = chapters.length >= MIN_CHAPTERS && chapters.length <= MAX_CHAPTERS;
  return fits ? chapters : [];
}

/** Returns the chapter at a position. */
export function chapterAt(chapters: readonly Chapter[], seconds: number): Chapter | undefined {
  return chapters.findLast(({ start }) => start <= seconds);
}

function isWithin(seconds: number, durationSeconds: number): boolean {
  return durationSeconds <= 0 || seconds < durationSeconds;
}

/** Parses `m:ss` or `h:mm:ss`. */
export function secondsOf(time: string): number {
  return time.split(":").reduce((total, part) => total * 60 + Number(part), 0);
}
