import type { Refusal } from "~/features/permissions/refusal";
import type { TypedSchedule } from "~/features/visibility/schedule";
import type { Failure } from "~/platform/failure";
import type { TypedTexts } from "~/shared/video-fields";
import type { ReplaceQuestion } from "./files/replace";
import type { EditableVideo } from "./list/managed-video";
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
