import type { ToastMessage } from "~/ui/feedback/toast-message";

/** Why something was not done, with the status it is answered with. */
export interface Failure {
  status: 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503 | 507;
  toast: ToastMessage;
  retryAfterSeconds?: number;
  /** What to do next, where the toast's sentence leaves it open. */
  detail?: string;
}

/** A failure with the title of every destructive toast (specification, section 8). */
export function failure<More extends { detail?: string } = { detail?: string }>(
  status: Failure["status"],
  message: string,
  more?: More,
): Failure & More {
  return { status, toast: { title: "Error", description: message, kind: "error" }, ...more! };
}

export const TRY_AGAIN = "Load the page again and try once more.";

export const BUSY = "Another program is writing to the database. Try again in a few seconds.";

/** The failure of a form without the fields that its action needs. */
export const INCOMPLETE = failure(400, "This form is not complete.", { detail: TRY_AGAIN });

export const GONE = "This video no longer exists. Somebody may have deleted it in the meantime.";
