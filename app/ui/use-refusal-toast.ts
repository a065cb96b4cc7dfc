import { useEffect } from "react";
import { useToast } from "./toast";

/**
 * Shows the sentence of a refused form as a toast, with scripts; without them the page itself says
 * it beside the form.
 *
 * @param answer what the action answered. Each answer is a new object, so the same sentence twice
 *   is shown twice.
 */
export function useRefusalToast(answer: { message?: string } | undefined): void {
  const show = useToast();
  useEffect(() => {
    if (answer?.message === undefined) return;
    show({ title: "Error", description: answer.message, kind: "error" });
  }, [answer, show]);
}
