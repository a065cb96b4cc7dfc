import { useNavigation } from "@remix-run/react";
import { useEffect, useState } from "react";
import { useRequestFailure } from "~/live/failed-requests";

/** Until then the old page stays, with the line at the top; most pages are there before. */
export const PATIENCE_MS = 700;

/** Whether a video page is on its way and takes so long that its skeleton is worth showing. */
export function useSlowVideo(): boolean {
  const { state, location } = useNavigation();
  const hasFailed = useRequestFailure() !== undefined;
  const pending = state === "loading" && location.pathname.startsWith("/video/") && !hasFailed;
  const [slow, setSlow] = useState(false);

  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [pending]);

  return pending && slow;
}
