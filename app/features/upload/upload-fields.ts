import type { Terms } from "~/features/moderation/uploaders/terms";
import { NO_SCHEDULE, type TypedSchedule } from "~/features/visibility/schedule";
import type { CategoryId } from "~/shared/categories";
import type { CutOff } from "~/shared/cut-off";
import type { FileLimits } from "~/shared/file-rules";
import { formatBytes } from "~/shared/format-bytes";
import type { TypedTexts } from "~/shared/video-fields";

/** The upload form: its fields, what they may hold, and what an answer to it says. */

export type UploadIntent = "publish" | "draft";

/** The texts of the form as the admin typed them; shown again after a failure. */
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
  draftsOnly: "Your account may save drafts only. An editor publishes them.",
} as const;

/** A video of the catalogue whose file has exactly the same bytes. */
export interface Duplicate {
  id: string;
  title: string;
  status: string;
  isPublic: 0 | 1;
}

/** What the admin was asked about before, and has decided to take: each comes after the one before. */
export type Accepted = "nothing" | "duplicate" | "cut off";

/** Why an upload was rejected, with everything the form needs to be shown again. */
export interface UploadFailure {
  message: string;
  texts: UploadTexts;
  fields: Partial<Record<UploadField, string>>;
  /** Set when the bytes are on the server and await a decision; `upload` publishes them as sent. */
  duplicate?: Duplicate & { upload: string; fileName: string };
  /** The same, for a file that ends before its video does. */
  cutOff?: CutOff & { upload: string; fileName: string };
  /** The same, for a file whose form has not accepted the terms that there are by now. */
  waiting?: { upload: string; fileName: string };
  /** The terms that have to be accepted, and the version that the form has. */
  terms?: Terms;
  acceptedTerms?: string;
}

export interface UploadSuccess {
  id: string;
  title: string;
  status: "published" | "review";
  category: CategoryId;
  /** When it will be published by itself, ISO 8601 UTC. */
  publishAt?: string;
  /** It was to be published and is a draft, because it is not all there. */
  isCutOff?: boolean;
  /** It looks like a video of the block list, and waits for somebody who says that it is another. */
  looksBlocked?: boolean;
  /** Its comparison with the block list takes longer, and it is held until then. */
  isUncompared?: boolean;
  /** Its file is scanned before it is public. */
  isScanned?: boolean;
  /** It should be published and waits for a consent record. */
  needsConsent?: boolean;
}

/** What is said of an upload that was taken. */
export function successMessage(video: UploadSuccess): string {
  const { status, publishAt } = video;
  if (video.looksBlocked)
    return "Video uploaded. It resembles a removed video and stays on hold until an editor has checked it.";
  if (video.needsConsent)
    return publishAt
      ? "Video uploaded. It will be published at the time you set, or later, as soon as it has a consent record."
      : "Video uploaded and saved as a draft because it has no consent record yet.";
  if (video.isCutOff) return "Video uploaded and saved as a draft, since its file was cut off.";
  if (video.isUncompared)
    return "Video uploaded. It stays on hold until it has been compared with the videos that were removed.";
  if (publishAt) return "Video uploaded. It will be published at the time you set.";
  if (video.isScanned && status === "published")
    return "Video uploaded. It stays on hold until it has been scanned.";
  return status === "published"
    ? "Video uploaded and published successfully."
    : "Video uploaded and saved as a draft.";
}

/** The hints of the form, with the sizes that the settings allow. */

export function videoHint({ maxVideoBytes }: FileLimits): string {
  return `MP4, MOV, AVI up to ${formatBytes(maxVideoBytes)}`;
}

export function thumbnailHint({ maxThumbnailBytes }: FileLimits): string {
  return `PNG, JPG, GIF up to ${formatBytes(maxThumbnailBytes)}`;
}
