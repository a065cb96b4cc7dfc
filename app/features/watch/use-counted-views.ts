import { useLocation } from "@remix-run/react";
import { useEffect, useState } from "react";

/** Counts shown for the visits of this document. Returning to a page with Back isn't a new view. */
const counted = new Map<string, number>();

/**
 * Counts a view of the video once per page load: not again in strict mode, after a revalidation or after
 * Back. Errors are ignored silently (specification, section 8).
 *
 * @returns the count to show, which rises by one as soon as the view is counted.
 */
export function useCountedViews(id: string, views: number, enabled: boolean): number {
  const visit = `${useLocation().key} ${id}`;
  const [, countedNow] = useState("");

  useEffect(() => {
    if (!enabled || counted.has(visit)) return;
    counted.set(visit, 0);
    fetch(`/video/${encodeURIComponent(id)}/view`, { method: "POST", keepalive: true })
      .then((response) => {
        if (!response.ok) return;
        counted.set(visit, views + 1);
        countedNow(visit);
      })
      .catch(() => {});
  }, [enabled, visit, id, views]);

  return Math.max(views, counted.get(visit) ?? 0);
}
