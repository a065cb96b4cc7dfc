import type { JobChange } from "~/features/processing/queue/change-jobs.server";
import type { Schedule } from "~/features/visibility/schedule";
import type { CategoryId } from "~/shared/categories";
import { formatQuantity } from "~/shared/format";
import { MAX_TAGS } from "~/shared/video-limits";

/** What can be done to many videos at once. */
export const BULK_ACTIONS = [
  "publish",
  "hide",
  "category",
  "add-tags",
  "remove-tags",
  "add-series",
  "remove-series",
  "schedule",
  "unschedule",
  "convert-again",
  "convert-now",
  "convert-later",
  "delete",
] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

export const BULK_LABELS: Record<BulkAction, string> = {
  publish: "Publish",
  hide: "Hide",
  category: "Set category",
  "add-tags": "Add tags",
  "remove-tags": "Remove tags",
  "add-series": "Add to series",
  "remove-series": "Remove from series",
  schedule: "Schedule",
  unschedule: "Remove schedule",
  "convert-again": "Convert again",
  "convert-now": "Convert now",
  "convert-later": "Convert later",
  delete: "Delete",
};

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

/** What became of the videos that were chosen; the numbers add up to how many those were. */
export interface BulkResult {
  done: number;
  /** Were so already. */
  unchanged: number;
  /** Deleted by somebody else in the meantime. */
  gone: number;
  /** The titles of those that could not be changed. */
  refused: string[];
  /** Why the first of them could not, where that is not the same for all. */
  because?: string;
  /** What is said of those that are scheduled and stay hidden at their time. */
  withheld?: string;
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
export interface BulkPreview {
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
  /** The titles of those that could not be changed. */
  refused: string[];
  /** Why the first of them could not, where that is not the same for all. */
  because?: string;
  /** What is said of those that are scheduled and stay hidden at their time. */
  withheld?: string;
}

/** Why a video is left alone by a change. */
export const REFUSED_BECAUSE: Partial<Record<BulkAction, string>> = {
  publish: "something holds back each of them",
  "add-tags": `a video has at most ${MAX_TAGS} tags`,
  schedule: "a video can be hidden only after it has been published",
  "convert-again": "a video without a file can't be converted",
};

/** Said of videos that are scheduled, and that something keeps hidden. */
export function withheldSentence({ videos, because }: { videos: number; because: string }): string {
  const stay = videos === 1 ? "stays hidden" : "stay hidden";
  return `${formatQuantity(videos, "video")} ${stay} at that time, until nothing holds ${videos === 1 ? "it" : "them"} back: ${because}`;
}

/** The form that the checkboxes of the list belong to. */
export const BULK_FORM = "bulk";
