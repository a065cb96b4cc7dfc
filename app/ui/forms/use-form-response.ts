import { useActionData, useLocation } from "@remix-run/react";
import { useRef } from "react";

/**
 * Returns the response to the last form of this page, until the page is left. The router drops it when the page's data
 * is refetched, and with it the entered values.
 */
export function useFormResponse<Answer>(): Answer | undefined {
  const answer = useActionData() as Answer | undefined;
  const { key } = useLocation();
  const last = useRef<{ key: string; answer: Answer }>();
  if (answer !== undefined) last.current = { key, answer };
  return last.current?.key === key ? last.current.answer : undefined;
}
