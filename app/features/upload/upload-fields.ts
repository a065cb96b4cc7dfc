import type { Terms } from "~/features/moderation/uploaders/terms";
import { NO_SCHEDULE, type TypedSchedule } from "~/features/visibility/schedule";
import type { CategoryId } from "~/shared/categories";
import type { CutOff } from "~/shared/cut-off";
import type { FileLimits } from "~/shared/file-rules";
import { formatBytes } from "~/shared/format-bytes";
import type { TypedTexts } from "~/shared/video-fields";

/** The upload form's fields, messages and responses. */

export type UploadIntent = "publish" | "draft";

/** The form's text as it was typed; shown again if the upload fails. */
export type UploadTexts = TypedTexts & TypedSchedule;

export type UploadField = keyof UploadTexts | "thumbnail" | "video" | "terms";

export const NO_TEXTS: UploadTexts = {
  title: "",
  description: "",
  category: "",
  tags: "",
  duration: "",
  ...NO_SCHEDULE,
};

export const MESSAGES = {
  signedOut: "You must be logged in to upload videos.",
  missing: "Please fill in all required fields.",
  failed: "Failed to upload video.",
  draftsOnly: "Your account can only save drafts. An editor publishes them.",
} as const;

/** An existing video whose file is identical. */
export interface Duplicate {
  id: string;
  title: string;
  status: string;
  isPublic: 0 | 1;
}

/** The warnings that the admin has already accepted, in the order in which they were shown. */
export type Accepted = "nothing" | "duplicate" | "cut off";

/** The reasons why an upload was rejected, plus all data needed to show the form again. */
export interface UploadFailure {
  message: string;
  texts: UploadTexts;
  fields: Partial<Record<UploadField, string>>;
  /** Set if the file is on the server and awaits a decision; `upload` publishes it without sending it again. */
  duplicate?: Duplicate & { upload: string; fileName: string };
  /** Like `duplicate`, but for an incomplete file. */
  cutOff?: CutOff & { upload: string; fileName: string };
  /** Like `duplicate`, but for a file whose form was sent without accepting the current terms. */
  waiting?: { upload: string; fileName: string };
  /** The terms that must be accepted, and their version in the form. */
  terms?: Terms;
  acceptedTerms?: string;
}

export interface UploadSuccess {
  id: string;
  title: string;
  status: "published" | "review";
  category: CategoryId;
  /** The time at which the video will be published automatically (ISO 8601, UTC). */
  publishAt?: string;
  /** The video was saved as a draft instead of being published, because its file is incomplete. */
  isCutOff?: boolean;
  /** The video resembles a blocked video, and is on hold until someone has decided that it is a different video. */
  looksBlocked?: boolean;
  /** The video is on hold until its comparison with the block list has finished. */
  isUncompared?: boolean;
  /** The file is being scanned before the video becomes public. */
  isScanned?: boolean;
  /** The video was supposed to be published, but needs a consent record first. */
  needsConsent?: boolean;
}

/** Returns the message shown after a successful upload. */
export function successMessage(video: UploadSuccess): string {
  const { status, publishAt } = video;
  if (video.looksBlocked)
    return "Video uploaded. It resembles a removed video and is on hold until an editor checks it.";
  if (video.needsConsent)
    return publishAt
      ? "Video uploaded. It will be published at the scheduled time or, if it has no consent record by then, as soon as it has one."
      : "Video uploaded and saved as a draft, because it has no consent record yet.";
  if (video.isCutOff) return "Video uploaded and saved as a draft, because the file is incomplete.";
  if (video.isUncompared)
    return "Video uploaded. It is on hold until it has been compared with removed videos.";
  if (publishAt) return "Video uploaded. It will be published at the scheduled time.";
  if (video.isScanned && status === "published")
    return "Video uploaded. It is on hold until it has been scanned.";
  return status === "published"
    ? "Video uploaded and published successfully."
    : "Video uploaded and saved as a draft.";
}

/** Returns the form's hints, which contain the maximum sizes from the settings. */

export function videoHint({ maxVideoBytes }: FileLimits): string {
  return `MP4, MOV, AVI up to ${formatBytes(maxVideoBytes)}`;
}

export function thumbnailHint({ maxThumbnailBytes }: FileLimits): string {
  return `PNG, JPG, GIF up to ${formatBytes(maxThumbnailBytes)}`;
}
