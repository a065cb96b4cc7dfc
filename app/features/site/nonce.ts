import { createContext, useContext } from "react";

/** What marks our own inline scripts while a page is rendered; empty in the browser. */
export const NonceContext = createContext("");

export function useNonce(): string {
  return useContext(NonceContext);
}
