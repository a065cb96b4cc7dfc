/** Formats for numbers, ages and durations (specification, section 9). */

const DAY_MS = 86_400_000;

/**
 * Abbreviates a count: `999`, `1.0K`, `999.9K`, `1.0M`.
 *
 * Rounds half up to tenths before choosing the unit, so that 999,950 is `1.0M` and never `1000.0K`.
 */
export function formatCount(count: number): string {
  if (!(count >= 1_000)) return String(Math.max(0, Math.floor(count) || 0));
  if (Math.round(count / 100) < 10_000) return `${tenths(count, 1_000)}K`;
  return `${tenths(count, 1_000_000)}M`;
}

/** Returns an abbreviated view count with its noun: `1 view`, `15.4K views`. */
export function formatViews(views: number): string {
  const count = formatCount(views);
  return `${count} ${count === "1" ? "view" : "views"}`;
}

/**
 * Formats a whole number with its noun: `1 video`, `1,234 videos`. Doesn't use `Intl`, because browsers load locale
 * data when `Intl` is first used, which takes a tenth of a second on each page on a slow phone.
 */
export function formatQuantity(count: number, noun: string): string {
  const grouped = String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${grouped} ${noun}${count === 1 ? "" : "s"}`;
}

function tenths(count: number, unit: number): string {
  const rounded = Math.round(count / (unit / 10));
  return `${Math.floor(rounded / 10)}.${rounded % 10}`;
}

/**
 * Parses a stored time into milliseconds since the epoch. SQLite's functions write times without a time zone
 * (`2026-01-31 12:00:00`) in UTC; a browser would read them as local time.
 *
 * @returns NaN if the text isn't a time.
 */
export function parseTime(time: string): number {
  const bare = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/.exec(time.trim());
  return Date.parse(bare ? `${bare[1]}T${bare[2]}Z` : time);
}

/** Returns a stored time as ISO 8601 UTC; the epoch if the time is invalid. */
export function isoTime(time: string): string {
  return new Date(parseTime(time) || 0).toISOString();
}

/**
 * Returns the age of a video in whole days, at least 1: `1 day ago`, `6 days ago`, `4 weeks ago`, `13 months ago`. An
 * invalid or future time counts as one day.
 */
export function formatAge(createdAt: string, now: number | Date): string {
  const days = Math.max(1, Math.floor((Number(now) - parseTime(createdAt)) / DAY_MS) || 1);
  if (days < 7) return ago(days, "day");
  if (days < 30) return ago(Math.floor(days / 7), "week");
  return ago(Math.floor(days / 30), "month");
}

function ago(count: number, unit: string): string {
  return `${formatQuantity(count, unit)} ago`;
}

/** Formats seconds as minutes:seconds, such as `5:30`; minutes may exceed 59. Returns `0:00` for invalid input. */
export function formatDuration(seconds: number): string {
  const whole = wholeSeconds(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Parses `5:30`, `75:30`, `1:15:30` or plain seconds (`330`) into seconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const plain = /^\s*(\d{1,9})(?:\.\d+)?\s*$/.exec(text);
  if (plain) return Number(plain[1]);
  const clock = /^\s*(?:(\d{1,4}):)?(\d{1,8}):([0-5]?\d)(?:\.\d+)?\s*$/.exec(text);
  if (!clock) return undefined;
  const [hours, minutes, seconds] = [Number(clock[1] ?? 0), Number(clock[2]), Number(clock[3])];
  if (clock[1] !== undefined && minutes > 59) return undefined;
  return (hours * 60 + minutes) * 60 + seconds;
}

/** Normalizes a stored duration (`5:30`, `330`) to minutes:seconds. */
export function storedDuration(text: string): string {
  return formatDuration(parseDuration(text) ?? 0);
}

/** Formats seconds as an ISO 8601 duration (`PT5M30S`) for structured data. */
export function isoDuration(seconds: number): string {
  const whole = wholeSeconds(seconds);
  const parts = [
    [Math.floor(whole / 3600), "H"],
    [Math.floor(whole / 60) % 60, "M"],
    [whole % 60, "S"],
  ] as const;
  const text = parts.map(([count, unit]) => (count > 0 ? `${count}${unit}` : "")).join("");
  return `PT${text || "0S"}`;
}

function wholeSeconds(seconds: number): number {
  return Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0;
}

const TITLES_NAMED = 5;

/** Formats titles as `“A”, “B” and 3 more`. */
export function nameTitles(titles: readonly string[], count = titles.length): string {
  const named = titles.slice(0, TITLES_NAMED).map((title) => `“${title}”`);
  const more = count - named.length;
  return more > 0 ? `${named.join(", ")} and ${more.toLocaleString("en")} more` : named.join(", ");
}
