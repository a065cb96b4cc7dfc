import { useActionData, useLocation } from "@remix-run/react";
import { useRef } from "react";

/**
 * Returns the response to the last form that was sent from this page, until the user leaves the page. The router itself
 * would drop the response and the entered values when it refetches the page's data.
 */
export function useFormResponse<Answer>(): Answer | undefined {
  const answer = useActionData() as Answer | undefined;
  const { key } = useLocation();
  const last = useRef<{ key: string; answer: Answer }>();
  if (answer !== undefined) last.current = { key, answer };
  return last.current?.key === key ? last.current.answer : undefined;
}
