import type { Cut } from "~/media/encode/artifact";
import { formatDuration } from "~/shared/format";
import type { StoryboardFrame } from "~/shared/streams/storyboard";
import { parseMoment } from "../edit/moments";

/** Where a video starts and ends: what the form and the server share. */

/** The fields of the form, as they were typed. */
export interface TypedCut {
  start: string;
  end: string;
}

/** What the dialog is about. */
export interface TrimView {
  /** The file that the times are of, which is the original; undefined while there is none on this site. */
  url?: string;
  /** Of that file. */
  duration: string;
  frames: StoryboardFrame[];
  /** What the video is cut to. */
  cut?: Cut;
}

/** Shorter ones are hardly films, and no player seeks in them. */
const LEAST_SECONDS = 1;
/** So much longer than the film the end may be: its length is shown in whole seconds. */
const ROUNDED_SECONDS = 1;

/** A moment as `parseMoment` reads it, to a millisecond, such as `1:30.04`. */
export function exactMoment(seconds: number): string {
  const milliseconds = Math.round(seconds * 1_000);
  const part = String(milliseconds % 1_000)
    .padStart(3, "0")
    .replace(/0+$/, "");
  return formatDuration(Math.floor(milliseconds / 1_000)) + (part && `.${part}`);
}

/** Such as `0:10 to 1:20.5`. */
export function cutText({ start, end }: Cut): string {
  return `${exactMoment(start)} to ${exactMoment(end)}`;
}

/**
 * The part of a film that was typed, within it; an empty field is its beginning or its end.
 *
 * @param length seconds of the film.
 * @returns what is wrong with each field, where something is.
 */
export function readCut(typed: TypedCut, length: number): Cut | { fields: Partial<TypedCut> } {
  const moment = (text: string, empty: number) => (text.trim() ? parseMoment(text) : empty);
  const start = moment(typed.start, 0);
  const asked = moment(typed.end, length);
  const fields: Partial<TypedCut> = {};
  if (start === undefined) fields.start = NO_MOMENT;
  else if (start >= length) fields.start = TOO_LATE;
  if (asked === undefined) fields.end = NO_MOMENT;
  else if (asked > length + ROUNDED_SECONDS) fields.end = TOO_LATE;
  if (start === undefined || asked === undefined || fields.start || fields.end) return { fields };
  const end = Math.min(asked, length);
  if (end <= start) return { fields: { end: "It has to end after its start." } };
  if (end - start < LEAST_SECONDS) return { fields: { end: "A cut is at least a second long." } };
  return { start, end };
}

const NO_MOMENT = "Write a moment of the film, such as 1:30.";
const TOO_LATE = "The film is shorter than that.";
