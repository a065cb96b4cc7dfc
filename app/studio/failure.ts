import type { TypedTexts } from "~/shared/video-fields";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import type { ReplaceQuestion } from "./files/replace";
import type { EditableVideo } from "./list/managed-video";
import type { TypedSchedule } from "./schedule/schedule";
import type { TypedCut } from "./trim/trim";

/** The fields of the edit form as an admin typed them. */
export type EditTexts = TypedTexts;

type EditField = keyof EditTexts | "thumbnail" | "frame" | "captions" | "series";

/** An edit that was rejected: the form is shown again with its texts. */
export interface RejectedEdit {
  texts: EditTexts;
  /** Of the film, whose picture is to be the thumbnail, as it was typed. */
  moment?: string;
  fields: Partial<Record<EditField, string>>;
  /** The row as it is now. */
  current: EditableVideo;
  /** The version that the texts were made from; after a conflict, the one they are compared with. */
  version: string;
}

/** Why something was not done, with the status it is answered with. */
export interface StudioFailure {
  status: 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503 | 507;
  toast: ToastMessage;
  retryAfterSeconds?: number;
  /** What to do next, where the toast's sentence leaves it open. */
  detail?: string;
  edit?: RejectedEdit;
  /** The form that replaces a file was rejected: it is shown again, with what it has to ask. */
  replace?: { question?: ReplaceQuestion };
  /** A schedule that was rejected: its form is shown again with what was typed. */
  schedule?: { typed: TypedSchedule; fields: Partial<TypedSchedule> };
  /** A start or an end that was rejected: its form is shown again with what was typed. */
  trim?: { typed: TypedCut; fields: Partial<TypedCut> };
}

/** A failure with the title of every destructive toast (specification, section 8). */
export function failure(
  status: StudioFailure["status"],
  sentence: string,
  more: Pick<StudioFailure, "detail" | "edit" | "schedule" | "replace" | "trim"> = {},
): StudioFailure {
  return { status, toast: { title: "Error", description: sentence, kind: "error" }, ...more };
}

export const GONE = "This video no longer exists. Somebody may have deleted it in the meantime.";
