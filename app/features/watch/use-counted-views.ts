import { useLocation } from "@remix-run/react";
import { useEffect, useState } from "react";

/** What this document has counted. A page that is shown again by Back is not a new view. */
const counted = new Map<string, number>();

/**
 * Counts a view of the video, once per load of its page: not again in strict mode, after a
 * revalidation or on the way back. Failures are nobody's concern (specification, section 8).
 *
 * @returns the count to show, which has risen by one as soon as the view is counted.
 */
export function useCountedViews(id: string, views: number, enabled: boolean): number {
  const visit = `${useLocation().key} ${id}`;
  const [, countedNow] = useState("");

  useEffect(() => {
    if (!enabled || counted.has(visit)) return;
    counted.set(visit, 0);
    fetch(`/video/${encodeURIComponent(id)}/view`, { method: "POST", keepalive: true })
      .then((answer) => {
        if (!answer.ok) return;
        counted.set(visit, views + 1);
        countedNow(visit);
      })
      .catch(() => {});
  }, [enabled, visit, id, views]);

  return Math.max(views, counted.get(visit) ?? 0);
}
