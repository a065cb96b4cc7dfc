import { useEffect, useMemo } from "react";
import { useToast } from "./toast";
import type { ToastMessage } from "./toast-message";

/**
 * Shows the failure that an answer carries as a toast, for as long as the answer is the last one and
 * its page is shown: a failed sign-in is no news on the page that the successful one leads to.
 *
 * @param answer compared by identity. Each answer is a new object, so the same sentence twice is
 *   shown twice.
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
 * Shows the sentence of a refused form as a toast, with scripts; without them the page itself says
 * it beside the form.
 */
export function useFormErrorToast(answer: { message?: string } | undefined): void {
  useErrorToast(useMemo(() => answer && { description: answer.message }, [answer]));
}
