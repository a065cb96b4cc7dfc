import { createContext, useContext } from "react";

/** What stands in the log beside the failure of this request; the server alone knows it. */
export const ErrorReferenceContext = createContext("");

/** In the browser it is read from the page, where the layout has put it. */
export function useErrorReference(): string {
  const reference = useContext(ErrorReferenceContext);
  if (reference || typeof document === "undefined") return reference;
  return document.documentElement.dataset.errorReference ?? "";
}
