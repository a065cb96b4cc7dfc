import type { Refusal } from "~/features/permissions/may-change.server";
import type { Schedule, TypedSchedule } from "~/features/visibility/schedule";
import type { TrimRange } from "~/media/encode/artifact";
import type { Failure } from "~/platform/failure";
import type { StoryboardFrame } from "~/shared/streams/storyboard";
import type { TypedTexts } from "~/shared/video-fields";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import type { VideoStatus } from "~db/schema";
import { formatExactPosition, parsePosition } from "./edit/positions";

/** A video as shown in the studio's list. */
export interface ManagedVideo {
  id: string;
  title: string;
  /** The category as stored, which may be a legacy value. */
  category: string;
  status: VideoStatus;
  duration: string;
  views: number;
  /** The disk usage of the video's files. */
  bytes: number;
  /** ISO 8601 UTC */
  createdAt: string;
  /** The thumbnail's path on this site, or null. */
  thumbnailUrl: string | null;
  schedule: Schedule;
  /** Whether the video is a draft that is ready for review. */
  isReady?: boolean;
  /** Whether the video is on hold and therefore not public, whatever its status. */
  isHeld?: boolean;
  /** Whether the video's file or thumbnail may contain private metadata because another tool added it. */
  hasMetadata?: boolean;
}

/** A video with all fields that can be edited. */
export interface EditableVideo extends ManagedVideo {
  description: string;
  tags: string[];
  /** The playable file; undefined if there is none on this site. */
  videoUrl?: string;
  storyboardUrl?: string;
  captions: { url: string; label: string; added: boolean }[];
  /** A hash of the fields that an editor sees. */
  version: string;
}

/** One page of the list. The page number is clamped to the existing pages. */
export interface ManagedPage {
  videos: ManagedVideo[];
  /** From 1 to pageCount; 1 when the list is empty. */
  page: number;
  pageCount: number;
  total: number;
}

/** The fields of the edit form, as entered. */
export type EditTexts = TypedTexts;

type EditField = keyof EditTexts | "thumbnail" | "frame" | "captions" | "series";

/** A rejected edit. Its form is shown again with the entered text. */
export interface RejectedEdit {
  texts: EditTexts;
  /** The position of the frame to use as the thumbnail, as entered. */
  frame?: string;
  fields: Partial<Record<EditField, string>>;
  /** The current row. */
  current: EditableVideo;
  /** The version that the form was opened with or, after a conflict, the version that it was compared with. */
  version: string;
}

/** A failure to process a form about a video. The form is shown again. */
export interface FormFailure extends Failure {
  edit?: RejectedEdit;
  /** The data for the replace form, including a question for the user. */
  replace?: { question?: ReplaceQuestion };
  /** The data for the schedule form, including the entered values. */
  schedule?: { typed: TypedSchedule; fields: Partial<TypedSchedule> };
  /** The data for the trim form, including the entered values. */
  trim?: { typed: TypedRange; fields: Partial<TypedRange> };
}

/** The reason why a form about a video was rejected. Nothing was changed. */
export type FormRefusal =
  | Refusal
  | { code: "invalid-schedule"; schedule: NonNullable<FormFailure["schedule"]> }
  | { code: "changed" | "invalid"; edit: RejectedEdit }
  | { code: "file-refused"; status: Failure["status"]; edit: RejectedEdit };

/** The result of a form about a video's files. */
export type FileResult = FormFailure | Refusal | ToastMessage;

/** A question that the user has to answer before an uploaded file replaces the current one. */
export interface ReplaceQuestion {
  /** The name of the finished upload. */
  upload: string;
  fileName: string;
  kind: "duplicate" | "incomplete" | "terms";
}

/** Any of a video's files other than the current one, as shown in the studio. */
export interface OtherFile {
  id: string;
  duration: string;
  bytes: number;
  /** When the file was uploaded or replaced (ISO 8601, UTC). */
  at: string;
  /** The email address of the user who uploaded or replaced the file; null if the account no longer exists. */
  by: string | null;
  /** If the file is trimmed, its range within the original in seconds. */
  range?: TrimRange;
}

/** All of a video's files except the current one. */
export interface OtherFiles {
  /** The file that will replace the current one once it is ready. */
  pending?: OtherFile & {
    /** Whether the file can be played, even if it isn't fully processed yet. */
    isPlayable: boolean;
    /** Whether a required job has failed permanently. */
    hasFailed: boolean;
    /** The reason why the video won't switch to the pending file automatically. */
    waitsFor?: string;
  };
  /** The file that the current one was trimmed from, which is kept while the video is trimmed. */
  original?: OtherFile;
  earlier: OtherFile[];
}

export const UNTIL_READY = "Visitors see the old file until the new one is ready.";

/** The fields of the trim form, as entered. */
export interface TypedRange {
  start: string;
  end: string;
}

/** The data for the trim dialog. */
export interface TrimView {
  /** The URL of the original, which the times refer to; undefined if it isn't on this site. */
  url?: string;
  /** The duration of the original. */
  duration: string;
  frames: StoryboardFrame[];
  /** The range that the video is trimmed to. */
  range?: TrimRange;
}

/** Players can't seek in shorter videos. */
const MIN_SECONDS = 1;
/** How far the end may exceed the duration, because the duration is shown in whole seconds. */
const ROUNDING_SECONDS = 1;

/** Formats a range, such as `0:10 to 1:20.5`. */
export function formatRange({ start, end }: TrimRange): string {
  return `${formatExactPosition(start)} to ${formatExactPosition(end)}`;
}

/**
 * Parses the range that was entered. A blank field means the beginning or end of the video.
 *
 * @param length the video's duration in seconds.
 * @returns the range, or an error message for each invalid field.
 */
export function readRange(
  typed: TypedRange,
  length: number,
): TrimRange | { fields: Partial<TypedRange> } {
  const position = (text: string, empty: number) => (text.trim() ? parsePosition(text) : empty);
  const start = position(typed.start, 0);
  const typedEnd = position(typed.end, length);
  const fields: Partial<TypedRange> = {};
  if (start === undefined) fields.start = NO_POSITION;
  else if (start >= length) fields.start = TOO_LATE;
  if (typedEnd === undefined) fields.end = NO_POSITION;
  else if (typedEnd > length + ROUNDING_SECONDS) fields.end = TOO_LATE;
  if (start === undefined || typedEnd === undefined || fields.start || fields.end)
    return { fields };
  const end = Math.min(typedEnd, length);
  if (end <= start) return { fields: { end: "The end must be after the start." } };
  if (end - start < MIN_SECONDS)
    return { fields: { end: "The trimmed video must be at least one second long." } };
  return { start, end };
}

const NO_POSITION = "Enter a position in the video, such as 1:30.";
const TOO_LATE = "This position is after the end of the video.";
