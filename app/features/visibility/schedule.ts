import { parseTime } from "~/shared/format";

/** When a video is published and hidden by itself; ISO 8601 UTC, null for never. */
export interface Schedule {
  publishAt: string | null;
  unpublishAt: string | null;
}

/** The two fields of the form as they were sent. */
export type TypedSchedule = Record<keyof Schedule, string>;

export const NO_SCHEDULE: TypedSchedule = { publishAt: "", unpublishAt: "" };

const MAX_YEARS = 10;

const MESSAGES = {
  noTime: "This is no date with a time, such as 2030-01-31T18:00.",
  past: "This moment has passed. Choose a later one.",
  far: `At most ${MAX_YEARS} years ahead.`,
  order: "A video can be hidden only after it has been published.",
} as const;

/**
 * The schedule that a form asks for, or what is wrong with it, field by field.
 *
 * @param typed ISO 8601; without a zone it is UTC, as from a browser without scripts.
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
