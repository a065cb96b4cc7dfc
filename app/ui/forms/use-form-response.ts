import { useActionData, useLocation } from "@remix-run/react";
import { useRef } from "react";

/**
 * Returns the response to the last form that was sent from this page. The response is kept until the user leaves the
 * page. The router itself would drop the response, and with it the entered values, when the page's data is refetched.
 */
export function useFormResponse<Answer>(): Answer | undefined {
  const answer = useActionData() as Answer | undefined;
  const { key } = useLocation();
  const last = useRef<{ key: string; answer: Answer }>();
  if (answer !== undefined) last.current = { key, answer };
  return last.current?.key === key ? last.current.answer : undefined;
}
