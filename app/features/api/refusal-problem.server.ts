import { NOT_A_DRAFT } from "~/features/library/messages.server";
import type { FormRefusal } from "~/features/library/rejected-form";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { isRefusal } from "~/features/permissions/refusal";
import { EVIDENCE_SENTENCE } from "~/features/trash/evidence.server";
import { fieldProblems, Problem } from "~/platform/problem";

/** The status of each refusal, and what the API says. */
const PROBLEMS: Record<FormRefusal["code"], readonly [status: number, detail: string]> = {
  gone: [404, "There is no such video."],
  "not-allowed": [403, NOT_ALLOWED],
  "not-a-draft": [403, NOT_A_DRAFT],
  evidence: [409, EVIDENCE_SENTENCE],
  "status-changed": [409, "The status of the video has changed since you read it."],
  "not-publishable": [422, "The video can't be published."],
  // If-Match names a version.
  changed: [412, "The video has changed since you read it."],
  invalid: [422, "Some fields are invalid."],
  "invalid-schedule": [422, "Some fields are invalid."],
  "file-refused": [422, "The file was refused."],
  busy: [503, "The database is busy. Try again in a few seconds."],
  failed: [500, "Something went wrong."],
};

/** @throws {Problem} for a refusal. */
export function assertDone<Outcome extends object | undefined>(
  outcome: Outcome | FormRefusal,
): asserts outcome is Exclude<Outcome, FormRefusal> {
  if (isRefusal(outcome)) throw refusalProblem(outcome);
}

function refusalProblem(refusal: FormRefusal): Problem {
  const [status, detail] = PROBLEMS[refusal.code];
  const edited = "edit" in refusal ? refusal.edit.fields : {};
  const scheduled = "schedule" in refusal ? refusal.schedule.fields : {};
  const errors = fieldProblems({ ...edited, ...scheduled });
  return new Problem(status, "reason" in refusal ? refusal.reason : detail, errors);
}
