import type { UploaderLimits } from "../user-list.server";

export const GIGABYTE = 1024 ** 3;

/** The limits of an uploader as an owner typed them. */
export interface TypedLimits {
  gigabytes: string;
  videosPerDay: string;
  queuedJobs: string;
}

/** Returns the limits that were typed, or a message about the first that is wrong. */
export function readLimits(typed: TypedLimits): UploaderLimits | string {
  const gigabytes = readNumber(typed.gigabytes, /^\d{1,7}([.,]\d{1,3})?$/);
  if (gigabytes === undefined) return "Enter the storage in gigabytes, such as 5 or 0.5.";
  const maxVideosPerDay = readNumber(typed.videosPerDay, /^\d{1,7}$/);
  if (maxVideosPerDay === undefined) return "Enter the videos in 24 hours as a whole number.";
  const maxQueuedJobs = readNumber(typed.queuedJobs, /^\d{1,7}$/);
  if (maxQueuedJobs === undefined) return "Enter the queued jobs as a whole number.";
  const maxBytes = gigabytes === null ? null : Math.round(gigabytes * GIGABYTE);
  return { maxBytes, maxVideosPerDay, maxQueuedJobs };
}

/** @returns null for an empty text, undefined for one that is no such number. */
function readNumber(typed: string, pattern: RegExp): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  return pattern.test(text) ? Number(text.replace(",", ".")) : undefined;
}
