import type { DOCUMENT_KINDS, IDENTITY_DOCUMENTS, RELEASE_KINDS } from "~db/schema/moderation";

/** What the pages of consent records say, and their rules that are about dates alone. */

export type IdentityDocument = (typeof IDENTITY_DOCUMENTS)[number];
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];
export type ReleaseKind = (typeof RELEASE_KINDS)[number];

export const IDENTITY_LABELS: Record<IdentityDocument, string> = {
  passport: "Passport",
  "identity-card": "Identity card",
  "driving-licence": "Driving licence",
  other: "Another document with a picture",
};

export const DOCUMENT_LABELS: Record<DocumentKind, string> = {
  identity: "Proof of identity",
  release: "Signed release",
  other: "Something else",
};

export const RELEASE_LABELS: Record<ReleaseKind, string> = {
  own: "Own recording",
  release: "Model release",
  licensed: "Licensed from another producer",
};

const ADULT_YEARS = 18;
const OLDEST = "1900-01-01";
/** So long before the end of a record it is warned of. */
export const WARN_DAYS = 30;
const DAY_MS = 86_400_000;

/** The state of a video's record, shown in the studio if records are required. */
export type ConsentState =
  | { kind: "complete" }
  /** With the sentence of what is missing. */
  | { kind: "lacking"; message: string }
  /** Complete for so many days more, one at least. */
  | { kind: "ending"; days: number };

/** The day of a time, YYYY-MM-DD in UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** So many days after a time. */
export function dayAfter(time: number, days: number): string {
  return dayOf(time + days * DAY_MS);
}

/** How many days there are from a time to a later day: 1 for tomorrow. */
export function daysUntil(day: string, time: number): number {
  return Math.round((Date.parse(day) - Date.parse(dayOf(time))) / DAY_MS);
}

/** Whether a text is a day that there is, YYYY-MM-DD, since 1900. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < OLDEST) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && dayOf(time) === text;
}

/**
 * Whether somebody was 18 on a day. Who was born on 29 February is so from 1 March on in other years.
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
