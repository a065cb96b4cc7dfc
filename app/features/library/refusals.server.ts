import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { EVIDENCE_MESSAGE } from "~/features/trash/evidence.server";
import { failure, GONE } from "~/platform/failure";
import type { FormFailure, FormRefusal } from "./managed-video";

/** The studio's messages about refused changes to videos. */

export const NOT_A_DRAFT = `${NOT_ALLOWED} Only editors can change videos that are no longer drafts.`;

/** If there is no detail, the form shows an error for each invalid field. */
const REFUSALS: Record<FormRefusal["code"], readonly [FormFailure["status"], detail?: string]> = {
  gone: [404, GONE],
  "not-allowed": [403, NOT_ALLOWED],
  "not-a-draft": [403, NOT_A_DRAFT],
  evidence: [409, EVIDENCE_MESSAGE],
  "status-changed": [409, "The video’s status has changed since you loaded the page."],
  "not-publishable": [422],
  changed: [
    409,
    "Someone else edited this video. Review their changes, then update again to keep yours.",
  ],
  invalid: [422],
  "invalid-schedule": [422],
  "file-refused": [422],
  busy: [503, "The database is busy. Try again in a few seconds."],
  failed: [500, "Something went wrong. Try again."],
};

/** Returns the failure that a form shows for a refusal. `message`, which says what failed, is the heading. */
export function refusalFailure(refusal: FormRefusal, message: string): FormFailure {
  const [status] = REFUSALS[refusal.code];
  return failure("status" in refusal ? refusal.status : status, message, {
    detail: refusalDetail(refusal),
    ...("edit" in refusal && { edit: refusal.edit }),
    ...("schedule" in refusal && { schedule: refusal.schedule }),
  });
}

/** Returns only the reason, or undefined if the reason is shown next to the form's fields. */
export function refusalDetail(refusal: FormRefusal): string | undefined {
  return "reason" in refusal ? refusal.reason : REFUSALS[refusal.code][1];
}
