import type { DOCUMENT_KINDS, IDENTITY_DOCUMENTS, RELEASE_KINDS } from "~db/schema/moderation";

/** Labels for consent records, and their date rules. */

export type IdentityDocument = (typeof IDENTITY_DOCUMENTS)[number];
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];
export type ReleaseKind = (typeof RELEASE_KINDS)[number];

export const IDENTITY_LABELS: Record<IdentityDocument, string> = {
  passport: "Passport",
  "identity-card": "Identity card",
  "drivers-license": "Driver’s license",
  other: "Other photo ID",
};

export const DOCUMENT_LABELS: Record<DocumentKind, string> = {
  identity: "Proof of identity",
  release: "Signed release",
  other: "Other",
};

export const RELEASE_LABELS: Record<ReleaseKind, string> = {
  own: "Own recording",
  release: "Model release",
  licensed: "Licensed from another producer",
};

const ADULT_YEARS = 18;
const EARLIEST_DAY = "1900-01-01";
/** How long before a record's expiration date the studio starts to show a warning. */
export const WARN_DAYS = 30;
const DAY_MS = 86_400_000;

/** The state of a video's consent record, shown in the studio if records are required. */
export type ConsentState =
  | { kind: "complete" }
  /** The message says what is missing. */
  | { kind: "lacking"; message: string }
  /** The record is complete but expires in this many days (at least 1). */
  | { kind: "expiring"; days: number };

/** Returns the UTC date of a timestamp as YYYY-MM-DD. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the UTC date that is this many days after a timestamp, as YYYY-MM-DD. */
export function dayAfter(time: number, days: number): string {
  return dayOf(time + days * DAY_MS);
}

/** Returns the number of days from a timestamp to a later date: 1 for tomorrow. */
export function daysUntil(day: string, time: number): number {
  return Math.round((Date.parse(day) - Date.parse(dayOf(time))) / DAY_MS);
}

/** Returns whether the text is a valid date since 1900, written as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < EARLIEST_DAY) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && dayOf(time) === text;
}

/**
 * Returns whether someone was at least 18 on a given date. Anyone born on February 29 turns 18 on March 1 if that year
 * isn't a leap year.
 *
 * @example isAdultOn("2004-02-29", "2022-02-28") // false
 */
export function isAdultOn(dateOfBirth: string, day: string): boolean {
  const year = Number(dateOfBirth.slice(0, 4)) + ADULT_YEARS;
  return day >= `${String(year).padStart(4, "0")}${dateOfBirth.slice(4)}`;
}

export function consentHref(videoId: string): string {
  return `/admin/videos/${encodeURIComponent(videoId)}/consent`;
}
