import { useLocation } from "@remix-run/react";
import { useEffect, useState } from "react";

/**
 * The view count shown for each history entry since the page was loaded. Going back to a page doesn't count as a new
 * view.
 */
const counted = new Map<string, number>();

/**
 * Counts a view of the video once per page load. Strict mode, revalidation and going back don't add another view.
 * Errors are silently ignored (specification, section 8).
 *
 * @returns the count to show, which increases by one as soon as the view has been counted.
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
