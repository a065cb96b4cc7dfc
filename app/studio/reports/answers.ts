import type { ToastMessage } from "~/ui/feedback/toast-message";

export const NO_REPORT = { detail: "There is no such report." };

/** What the page of a report says when a form was done. */
export function done(description: string): ToastMessage {
  return { title: "Reports", description, kind: "success" };
}
