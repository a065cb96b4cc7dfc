import { useLocation } from "@remix-run/react";
import { useState } from "react";
import { continued } from "./continued";

/** Whether this visit of the page only goes on with what the mini player plays: it is no new view. */
export function useContinuedVisit(id: string): boolean {
  const visit = `${useLocation().key} ${id}`;
  // Asked at the first rendering, before the player takes over.
  const [continuedVisit] = useState(() => continued.get()?.video.id === id && visit);
  return continuedVisit === visit;
}
