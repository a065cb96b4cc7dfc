import { parseTime } from "~/shared/format";

/** When a video is published and hidden automatically (ISO 8601, UTC). Null means never. */
export interface Schedule {
  publishAt: string | null;
  unpublishAt: string | null;
}

/** The schedule form's two fields, as entered. */
export type TypedSchedule = Record<keyof Schedule, string>;

export const NO_SCHEDULE: TypedSchedule = { publishAt: "", unpublishAt: "" };

const MAX_YEARS = 10;

const MESSAGES = {
  noTime: "Enter a date and time, such as 2030-01-31T18:00.",
  past: "That time is in the past. Choose a later one.",
  far: `Choose a time within the next ${MAX_YEARS} years.`,
  order: "The time to hide the video must be after the time to publish it.",
} as const;

/**
 * Parses a schedule form. Returns the schedule, or an error message for each invalid field.
 *
 * @param typed the times in ISO 8601 format. Times without a time zone, which a form sends without JavaScript, are in
 * UTC.
 * @param now milliseconds since 1970.
 */
export function readSchedule(
  typed: TypedSchedule,
  now: number,
): { schedule: Schedule } | { fields: Partial<TypedSchedule> } {
  const fields: Partial<TypedSchedule> = {};
  const read = (field: keyof Schedule): string | null => {
    const text = typed[field].trim();
    if (text === "") return null;
    const time = /^\d{4}-\d\d-\d\dT/.test(text) ? parseTime(text) : Number.NaN;
    if (Number.isNaN(time)) fields[field] = MESSAGES.noTime;
    else if (time <= now) fields[field] = MESSAGES.past;
    else if (new Date(time).getUTCFullYear() - new Date(now).getUTCFullYear() > MAX_YEARS) {
      fields[field] = MESSAGES.far;
    }
    return fields[field] ? null : new Date(time).toISOString();
  };
  const schedule = { publishAt: read("publishAt"), unpublishAt: read("unpublishAt") };
  const { publishAt, unpublishAt } = schedule;
  if (publishAt && unpublishAt && unpublishAt <= publishAt) fields.unpublishAt = MESSAGES.order;
  return Object.keys(fields).length > 0 ? { fields } : { schedule };
}
