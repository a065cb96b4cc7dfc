import type { Refusal } from "~/features/permissions/may-change.server";
import type { Schedule, TypedSchedule } from "~/features/visibility/schedule";
import type { TrimRange } from "~/media/encode/artifact";
import type { Failure } from "~/platform/failure";
import type { StoryboardFrame } from "~/shared/streams/storyboard";
import type { TypedTexts } from "~/shared/video-fields";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import type { VideoStatus } from "~db/schema";
import { exactPosition, parsePosition } from "./edit/positions";

/** A video as the studio's list shows it. */
export interface ManagedVideo {
  id: string;
  title: string;
  /** As stored; a legacy value is possible. */
  category: string;
  status: VideoStatus;
  duration: string;
  views: number;
  /** Disk usage of its files. */
  bytes: number;
  /** ISO 8601 UTC */
  createdAt: string;
  /** A path of this site, or null. */
  thumbnailUrl: string | null;
  schedule: Schedule;
  /** A draft that waits for an editor. */
  isReady?: boolean;
  /** It has a hold, so that nobody sees it whatever its status. */
  isHeld?: boolean;
  /** Its file or thumbnail may have private metadata, since another tool has put it in place. */
  hasMetadata?: boolean;
}

/** A video with all that can be edited. */
export interface EditableVideo extends ManagedVideo {
  description: string;
  tags: string[];
  /** The file that is played; undefined while there is none on this site. */
  videoUrl?: string;
  storyboardUrl?: string;
  captions: { url: string; label: string; added: boolean }[];
  /** Changes whenever anything of the row that an editor could see does. */
  version: string;
}

/** One page of the list, clamped to what exists. */
export interface ManagedPage {
  videos: ManagedVideo[];
  /** 1 to pageCount; 1 when the list is empty. */
  page: number;
  pageCount: number;
  total: number;
}

/** The fields of the edit form as an admin typed them. */
export type EditTexts = TypedTexts;

type EditField = keyof EditTexts | "thumbnail" | "frame" | "captions" | "series";

/** An edit that was rejected: the form is shown again with its texts. */
export interface RejectedEdit {
  texts: EditTexts;
  /** Of the video, whose picture is to be the thumbnail, as it was typed. */
  moment?: string;
  fields: Partial<Record<EditField, string>>;
  /** The row as it is now. */
  current: EditableVideo;
  /** The version that the texts were made from; after a conflict, the one they are compared with. */
  version: string;
}

/** A failure of a form of a video that is shown again. */
export interface FormFailure extends Failure {
  edit?: RejectedEdit;
  /** The form that replaces a file was rejected: it is shown again, with what it has to ask. */
  replace?: { question?: ReplaceQuestion };
  /** A schedule that was rejected: its form is shown again with what was typed. */
  schedule?: { typed: TypedSchedule; fields: Partial<TypedSchedule> };
  /** A start or an end that was rejected: its form is shown again with what was typed. */
  trim?: { typed: TypedCut; fields: Partial<TypedCut> };
}

/** Why a form of a video was refused; nothing was changed then. */
export type FormRefusal =
  | Refusal
  | { code: "invalid-schedule"; schedule: NonNullable<FormFailure["schedule"]> }
  | { code: "changed" | "invalid"; edit: RejectedEdit }
  | { code: "file-refused"; status: Failure["status"]; edit: RejectedEdit };

/** What a form about the files of a video is answered. */
export type FileAnswer = FormFailure | Refusal | ToastMessage;

/** Replacing the file of a video: what forms and pages of it share. */

/** A question that has to be answered before a file that has arrived replaces another. */
export interface ReplaceQuestion {
  /** Names the file, which waits on the server. */
  upload: string;
  fileName: string;
  kind: "duplicate" | "cut off" | "terms";
}

/** Another file of a video, as the studio shows it. */
export interface OtherFile {
  id: string;
  duration: string;
  bytes: number;
  /** When it was sent, or was replaced; ISO 8601 UTC. */
  at: string;
  /** The e-mail of who did that; null when that account is gone. */
  by: string | null;
  /** From which second of its original to which, when it is a cut. */
  cut?: TrimRange;
}

/** All files of a video but the one it has. */
export interface OtherFiles {
  /** It replaces the file once it is ready. */
  pending?: OtherFile & {
    /** It can be played, though not all is made of it. */
    isPlayable: boolean;
    /** Something that it needs has failed for good. */
    hasFailed: boolean;
    /** Why the video doesn't switch to it when it is ready. */
    waitsFor?: string;
  };
  /** What the video's file was cut from, kept for as long as it has that. */
  original?: OtherFile;
  earlier: OtherFile[];
}

export const WHEN_READY = "The old file plays until the new one is ready.";

/** Where a video starts and ends: what the form and the server share. */

/** The fields of the form, as they were typed. */
export interface TypedCut {
  start: string;
  end: string;
}

/** What the dialog is about. */
export interface TrimView {
  /** The file that the times are of, which is the original; undefined while there is none on this site. */
  url?: string;
  /** Of that file. */
  duration: string;
  frames: StoryboardFrame[];
  /** What the video is cut to. */
  cut?: TrimRange;
}

/** Shorter ones are hardly videos, and no player seeks in them. */
const MIN_SECONDS = 1;
/** So much longer than the video the end may be: its length is shown in whole seconds. */
const ROUNDED_SECONDS = 1;

/** Such as `0:10 to 1:20.5`. */
export function cutText({ start, end }: TrimRange): string {
  return `${exactPosition(start)} to ${exactPosition(end)}`;
}

/**
 * The part of a video that was typed, within it; an empty field is its beginning or its end.
 *
 * @param length seconds of the video.
 * @returns what is wrong with each field, where something is.
 */
export function readCut(
  typed: TypedCut,
  length: number,
): TrimRange | { fields: Partial<TypedCut> } {
  const moment = (text: string, empty: number) => (text.trim() ? parsePosition(text) : empty);
  const start = moment(typed.start, 0);
  const asked = moment(typed.end, length);
  const fields: Partial<TypedCut> = {};
  if (start === undefined) fields.start = NO_POSITION;
  else if (start >= length) fields.start = TOO_LATE;
  if (asked === undefined) fields.end = NO_POSITION;
  else if (asked > length + ROUNDED_SECONDS) fields.end = TOO_LATE;
  if (start === undefined || asked === undefined || fields.start || fields.end) return { fields };
  const end = Math.min(asked, length);
  if (end <= start) return { fields: { end: "It has to end after its start." } };
  if (end - start < MIN_SECONDS) return { fields: { end: "A cut is at least a second long." } };
  return { start, end };
}

const NO_POSITION = "Write a moment of the video, such as 1:30.";
const TOO_LATE = "The video is shorter than that.";
