import type { ToastMessage } from "~/ui/feedback/toast-message";

export const NO_REPORT = { detail: "There is no such report." };

/** Returns the toast for a form of the report page that succeeded. */
export function done(description: string): ToastMessage {
  return { title: "Reports", description, kind: "success" };
}
