import { createContext, useContext } from "react";

/** What stands in the log beside the failure of this request; the server alone knows it. */
export const ErrorReferenceContext = createContext("");

export function useErrorReference(): string {
  return useContext(ErrorReferenceContext);
}
