import { useEffect } from "react";
import { useToast } from "./toast";

/**
 * Shows the sentence of a refused form as a toast, with scripts; without them the page itself says
 * it beside the form. Each answer is a new object, so the same sentence twice is shown twice.
 */
export function useRefusalToast(refusal: { message: string } | undefined): void {
  const show = useToast();
  useEffect(() => {
    if (refusal) show({ title: "Error", description: refusal.message, kind: "error" });
  }, [refusal, show]);
}
