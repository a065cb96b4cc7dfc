import type { JobChange } from "~/features/processing/queue/change-jobs.server";
import type { Schedule } from "~/features/visibility/schedule";
import type { CategoryId } from "~/shared/categories";
import { formatQuantity } from "~/shared/format";
import { MAX_TAGS } from "~/shared/video-limits";

/** What can be done to many videos at once: its label, what somebody did, and what the videos were or were already. */
export const BULK_WORDS = {
  publish: ["Publish", "published", "published", "published already"],
  hide: ["Hide", "hid", "hidden", "hidden already"],
  category: [
    "Set category",
    "set the category of",
    "moved to the category",
    "in the category already",
  ],
  "add-tags": ["Add tags", "added tags to", "given the tags", "tagged so already"],
  "remove-tags": [
    "Remove tags",
    "removed tags from",
    "rid of the tags",
    "without the tags already",
  ],
  "add-series": ["Add to series", "", "put into the series", "in the series already"],
  "remove-series": ["Remove from series", "", "taken out of the series", "not in the series"],
  schedule: ["Schedule", "scheduled", "scheduled", "left as before"],
  unschedule: [
    "Remove schedule",
    "removed the schedule of",
    "rid of the schedule",
    "without a schedule already",
  ],
  "convert-again": [
    "Convert again",
    "had made again",
    "put into the queue again",
    "waiting or being made already",
  ],
  "convert-now": [
    "Convert now",
    "put first in the queue",
    "put first in the queue",
    "made already, or being made",
  ],
  "convert-later": [
    "Convert later",
    "put last in the queue",
    "put last in the queue",
    "made already",
  ],
  delete: ["Delete", "deleted", "deleted", ""],
} as const;
export type BulkAction = keyof typeof BULK_WORDS;
export const BULK_ACTIONS = Object.keys(BULK_WORDS) as BulkAction[];

/** More take too long for one request. */
export const MAX_BULK_VIDEOS = 10_000;

export type BulkChange =
  | { action: "publish" | "hide" | "unschedule" }
  | { action: `convert-${JobChange}` }
  | { action: "delete" }
  /** A time that is null stays as it is. */
  | { action: "schedule"; schedule: Schedule }
  | { action: "category"; category: CategoryId }
  | { action: "add-series" | "remove-series"; series: { id: number; title: string } }
  | { action: "add-tags" | "remove-tags"; tags: string[] };

/** The videos that a change leaves alone. */
export interface Skipped {
  /** The titles of those that can't be changed. */
  refused: string[];
  /** Why the first of them can't, where that is not the same for all. */
  because?: string;
  /** Of those that are scheduled the ones that stay hidden at their time, and why the first of them does. */
  withheld?: { videos: number; because: string };
}

/** What became of the videos that were chosen; the numbers add up to how many those were. */
export interface BulkResult extends Skipped {
  done: number;
  /** Were so already. */
  unchanged: number;
  /** Deleted by somebody else in the meantime. */
  gone: number;
  /** Those that a failure left unprocessed, and what it was. */
  left?: { videos: number; because: string };
  /** Of a deletion: what names it when it is undone. */
  batch?: string;
}

/** Asks before many videos are deleted; answered by sending the same form with `confirmed`. */
export interface DeleteConfirmation {
  ids: string[];
  /** Some of the titles. */
  titles: string[];
  /** Disk usage of their files. */
  bytes: number;
}

/** Shows what a change would do before it is done; answered by sending the same form with `confirmed`. */
export interface BulkPreview extends Skipped {
  action: Exclude<BulkAction, "delete">;
  ids: string[];
  /** The other fields of the form. */
  fields: [name: string, value: string][];
  /** Some of those that would change, with what is replaced and what by. */
  rows: { id: string; title: string; before: string; after: string }[];
  /** The numbers of all of them; these add up to how many were chosen. */
  changed: number;
  unchanged: number;
  gone: number;
}

/** Why a video is left alone by a change. */
export const REFUSED_BECAUSE: Partial<Record<BulkAction, string>> = {
  publish: "something holds back each of them",
  "add-tags": `a video has at most ${MAX_TAGS} tags`,
  schedule: "a video can be hidden only after it has been published",
  "convert-again": "a video without a file can't be converted",
};

/** Said of videos that are scheduled, and that something keeps hidden. */
export function onHoldMessage({ withheld }: Skipped): string | undefined {
  if (!withheld) return undefined;
  const { videos, because } = withheld;
  const stay = videos === 1 ? "stays hidden" : "stay hidden";
  return `${formatQuantity(videos, "video")} ${stay} at that time, until nothing holds ${videos === 1 ? "it" : "them"} back: ${because}`;
}

/** The form that the checkboxes of the list belong to. */
export const BULK_FORM = "bulk";
