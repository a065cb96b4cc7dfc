import { useActionData, useLocation } from "@remix-run/react";
import { useRef } from "react";

/**
 * What the last form of this page was answered, until the page is left. The router forgets it as
 * soon as the data of the page is refetched, and with it the texts that were refused.
 */
export function useFormResponse<Answer>(): Answer | undefined {
  const answer = useActionData() as Answer | undefined;
  const { key } = useLocation();
  const last = useRef<{ key: string; answer: Answer }>();
  if (answer !== undefined) last.current = { key, answer };
  return last.current?.key === key ? last.current.answer : undefined;
}
