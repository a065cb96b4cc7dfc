import { useLocation, useNavigation } from "@remix-run/react";
import { createContext, useContext, useEffect, useState } from "react";
import { useRequestFailure } from "~/ui/live/failed-requests";

/** Until then the old page stays, with the line at the top; most pages are there before. */
const PATIENCE_MS = 700;
/** Shorter: the panel shows nothing of its own before the session is known. */
const ADMIN_PATIENCE_MS = 150;

/** For the page and its frame, which change together: the answer of `useSlowVideoTimer`. */
export const SlowVideo = createContext(false);

/** Whether a video page is on its way and takes so long that its skeleton is worth showing. */
export function useSlowVideo(): boolean {
  return useContext(SlowVideo);
}

export function useSlowVideoTimer(): boolean {
  const { state, location } = useNavigation();
  const hasFailed = useRequestFailure() !== undefined;
  const pending = state === "loading" && location.pathname.startsWith("/video/") && !hasFailed;
  return useLasts(pending, PATIENCE_MS);
}

/** Whether the admin panel is on its way from another page: the session is being looked up. */
export function useSlowAdmin(): boolean {
  const { state, location } = useNavigation();
  const isPanel = useLocation().pathname === "/admin";
  const hasFailed = useRequestFailure() !== undefined;
  const isPending = state === "loading" && location.pathname === "/admin" && !isPanel && !hasFailed;
  return useLasts(isPending, ADMIN_PATIENCE_MS);
}

function useLasts(pending: boolean, patienceMs: number): boolean {
  const [slow, setSlow] = useState(false);

  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => setSlow(true), patienceMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [pending, patienceMs]);

  return pending && slow;
}
