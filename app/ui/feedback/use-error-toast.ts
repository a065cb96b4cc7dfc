import { useEffect, useMemo } from "react";
import { useToast } from "./toast";
import type { ToastMessage } from "./toast-message";

/**
 * Shows the failure in a response as a toast while it is the latest response and the user stays on the page. For
 * example, a failed sign-in no longer matters after a successful one.
 *
 * @param answer compared by identity. Each response is a new object, so a repeated message is shown again.
 */
export function useErrorToast(
  answer: Pick<ToastMessage, "description" | "detail"> | undefined,
): void {
  const show = useToast();
  useEffect(() => {
    if (answer?.description === undefined) return;
    const { description, detail } = answer;
    return show({ title: "Error", description, detail, kind: "error" });
  }, [answer, show]);
}

/**
 * Shows the message of a rejected form as a toast; without JavaScript, the page shows it next to the form.
 */
export function useFormErrorToast(answer: { message?: string } | undefined): void {
  useErrorToast(useMemo(() => answer && { description: answer.message }, [answer]));
}
