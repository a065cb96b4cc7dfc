import type { ToastMessage } from "~/ui/feedback/toast-message";

/** The reason why an action failed, with the response status. */
export interface Failure {
  status: 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503 | 507;
  toast: ToastMessage;
  retryAfterSeconds?: number;
  /** What to do next; omitted if the toast already explains it. */
  detail?: string;
}

/** Creates a failure with the title that destructive toasts have (specification, section 8). */
export function failure<More extends { detail?: string } = { detail?: string }>(
  status: Failure["status"],
  message: string,
  more?: More,
): Failure & More {
  return { status, toast: { title: "Error", description: message, kind: "error" }, ...more! };
}

export const TRY_AGAIN = "Reload the page and try again.";

export const BUSY = "The database is busy. Try again in a few seconds.";

/** The failure for a form with a missing field. */
export const INCOMPLETE = failure(400, "The form is incomplete.", { detail: TRY_AGAIN });

export const GONE = "This video no longer exists. It may have been deleted.";
