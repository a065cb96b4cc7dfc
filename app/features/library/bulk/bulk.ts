import type { JobChange } from "~/features/processing/queue/change-jobs.server";
import type { Schedule } from "~/features/visibility/schedule";
import type { CategoryId } from "~/shared/categories";
import { formatQuantity } from "~/shared/format";
import { MAX_TAGS } from "~/shared/video-limits";

/**
 * The text for each bulk action: its label, the verb for the activity log, and messages about the videos that were and
 * were not changed. In `done`, % stands for the number of videos.
 */
export const BULK_TEXTS = {
  publish: {
    label: "Publish",
    activity: "published",
    done: "Published %.",
    unchanged: "already published",
  },
  hide: { label: "Hide", activity: "hid", done: "Hid %.", unchanged: "already hidden" },
  category: {
    label: "Set category",
    activity: "set the category of",
    done: "Set the category of %.",
    unchanged: "already in this category",
  },
  "add-tags": {
    label: "Add tags",
    activity: "added tags to",
    done: "Added tags to %.",
    unchanged: "already tagged",
  },
  "remove-tags": {
    label: "Remove tags",
    activity: "removed tags from",
    done: "Removed tags from %.",
    unchanged: "already without these tags",
  },
  "add-series": {
    label: "Add to series",
    activity: "",
    done: "Added % to the series.",
    unchanged: "already in the series",
  },
  "remove-series": {
    label: "Remove from series",
    activity: "",
    done: "Removed % from the series.",
    unchanged: "not in the series",
  },
  schedule: {
    label: "Schedule",
    activity: "scheduled",
    done: "Scheduled %.",
    unchanged: "already on this schedule",
  },
  unschedule: {
    label: "Remove schedule",
    activity: "removed the schedule of",
    done: "Removed the schedule of %.",
    unchanged: "not scheduled",
  },
  "convert-again": {
    label: "Re-encode",
    activity: "queued the re-encoding of",
    done: "Queued % for re-encoding.",
    unchanged: "already queued or in progress",
  },
  "convert-now": {
    label: "Process first",
    activity: "prioritized the processing of",
    done: "Moved % to the front of the queue.",
    unchanged: "already processed or in progress",
  },
  "convert-later": {
    label: "Process last",
    activity: "postponed the processing of",
    done: "Moved % to the back of the queue.",
    unchanged: "already processed",
  },
  delete: { label: "Delete", activity: "deleted", done: "Deleted %.", unchanged: "" },
} as const;
export type BulkAction = keyof typeof BULK_TEXTS;
export const BULK_ACTIONS = Object.keys(BULK_TEXTS) as BulkAction[];

/** This limit keeps a single request from taking too long. */
export const MAX_BULK_VIDEOS = 10_000;

export type BulkChange =
  | { action: "publish" | "hide" | "unschedule" }
  | { action: `convert-${JobChange}` }
  | { action: "delete" }
  /** If one of the times is null, the videos keep their current time. */
  | { action: "schedule"; schedule: Schedule }
  | { action: "category"; category: CategoryId }
  | { action: "add-series" | "remove-series"; series: { id: number; title: string } }
  | { action: "add-tags" | "remove-tags"; tags: string[] };

/** The videos that a bulk action doesn't change. */
export interface Skipped {
  /** The titles of videos that can't be changed. */
  refused: string[];
  /** The reason why the first of these videos is on hold, if videos can't be published because of a hold. */
  because?: string;
  /**
   * The number of scheduled videos that will stay hidden at their scheduled time because of a hold, and the reason for
   * the first video's hold.
   */
  onHold?: { videos: number; because: string };
}

/** The result of a bulk action. The numbers add up to the number of selected videos. */
export interface BulkResult extends Skipped {
  done: number;
  /** The number of videos that needed no change. */
  unchanged: number;
  /** The number of videos that someone else has deleted in the meantime. */
  gone: number;
  /** The number of videos that weren't processed because an error occurred, and the error message. */
  left?: { videos: number; because: string };
  /** The id of a deletion, which can be used to undo it. */
  batch?: string;
}

/** The data for confirming a bulk deletion. Confirming sends the same form again with `confirmed`. */
export interface DeleteConfirmation {
  ids: string[];
  /** Some of the videos' titles. */
  titles: string[];
  /** The disk usage of the videos' files. */
  bytes: number;
}

/** The preview of a bulk action. Confirming sends the same form again with `confirmed`. */
export interface BulkPreview extends Skipped {
  action: Exclude<BulkAction, "delete">;
  ids: string[];
  /** The form's other fields. */
  fields: [name: string, value: string][];
  /** Some of the changes, with the values before and after the change. */
  rows: { id: string; title: string; before: string; after: string }[];
  /** Together with `refused`, these numbers add up to the number of selected videos. */
  changed: number;
  unchanged: number;
  gone: number;
}

/** The reasons why videos can't be changed, worded as the end of a sentence. */
export const REFUSAL_REASONS: Partial<Record<BulkAction, string>> = {
  publish: "they are on hold",
  "add-tags": `a video can have at most ${MAX_TAGS} tags`,
  schedule: "a video can be hidden only after it has been published",
  "convert-again": "a video without a file can't be re-encoded",
};

/** Returns the message about scheduled videos that will stay hidden because of a hold. */
export function onHoldMessage({ onHold }: Skipped): string | undefined {
  if (!onHold) return undefined;
  const { videos, because } = onHold;
  const holdIs = videos === 1 ? "its hold is" : "their holds are";
  return `${formatQuantity(videos, "video")} will stay hidden at that time unless ${holdIs} released: ${because}`;
}

/** The id of the form that the list's checkboxes belong to. */
export const BULK_FORM = "bulk";
