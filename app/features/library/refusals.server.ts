import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { EVIDENCE_MESSAGE } from "~/features/trash/evidence.server";
import { failure, GONE } from "~/platform/failure";
import type { FormFailure, FormRefusal } from "./managed-video";

/** What the studio says about a change of a video that was refused. */

export const NOT_A_DRAFT = `${NOT_ALLOWED} Only an editor changes a video that is no longer a draft.`;

/** Where there is no detail, the form says what is wrong with each field. */
const REFUSALS: Record<FormRefusal["code"], readonly [FormFailure["status"], detail?: string]> = {
  gone: [404, GONE],
  "not-allowed": [403, NOT_ALLOWED],
  "not-a-draft": [403, NOT_A_DRAFT],
  evidence: [409, EVIDENCE_MESSAGE],
  "status-changed": [409, "Its status has changed since the page was loaded."],
  "not-publishable": [422],
  changed: [
    409,
    "This video has changed since you opened it. Nothing was overwritten: compare, then update.",
  ],
  invalid: [422],
  "invalid-schedule": [422],
  "file-refused": [422],
  busy: [503, "The database is busy. Try again in a few seconds."],
  failed: [500, "An error stopped the change. Try again."],
};

/** The failure that a form shows for a refusal. @param sentence what was not done. */
export function refusalFailure(refusal: FormRefusal, message: string): FormFailure {
  const [status] = REFUSALS[refusal.code];
  return failure("status" in refusal ? refusal.status : status, message, {
    detail: refusalDetail(refusal),
    ...("edit" in refusal && { edit: refusal.edit }),
    ...("schedule" in refusal && { schedule: refusal.schedule }),
  });
}

/** The reason alone; undefined where the fields have it. */
export function refusalDetail(refusal: FormRefusal): string | undefined {
  return "reason" in refusal ? refusal.reason : REFUSALS[refusal.code][1];
}
