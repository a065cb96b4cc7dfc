import { useLocation, useNavigation } from "@remix-run/react";
import { createContext, useContext, useEffect, useLayoutEffect, useState } from "react";
import { useRequestFailure } from "~/ui/live/failed-requests";
import "./related-videos.css";
import "./watch.css";

const BAR = "animate-breathe rounded-sm bg-raised";

/**
 * The video page while it is loading, in the page's layout and scrolled to the top, so that nothing moves when it
 * arrives.
 */
export function VideoSkeleton() {
  useLayoutEffect(() => {
    const { scrollY } = window;
    window.scrollTo(0, 0);
    // Restores the previous page's scroll position in case the request fails. A new page sets the scroll position
    // itself.
    return () => window.scrollTo(0, scrollY);
  }, []);
  return (
    <div role="status">
      {/* Placed outside the layout, whose columns are its first and second child. */}
      <h1 className="sr-only">Loading video...</h1>
      <div className="video-layout">
        <div>
          <div className="watch">
            <div className={`watch-back mb-1 h-11 w-20 mouse:h-9 ${BAR}`} />
            <div className="watch-player aspect-video min-w-full animate-breathe bg-raised" />
          </div>
          <div className={`mt-5 h-8 w-3/4 ${BAR}`} />
          <div className={`mt-3 h-5 w-1/3 ${BAR}`} />
          <div className={`mt-8 h-24 w-full ${BAR}`} />
        </div>
        <div>
          <div className={`mb-6 h-11.5 w-full ${BAR}`} />
          <div className={`mb-4 h-6 w-36 ${BAR}`} />
          <RelatedSkeleton />
        </div>
      </div>
    </div>
  );
}

function RelatedSkeleton() {
  return (
    <div className="related-videos">
      {["a", "b", "c", "d", "e"].map((key) => (
        <div key={key} className="grid grid-cols-[min(9.5rem,45%)_1fr] gap-3">
          <div className="aspect-video animate-breathe rounded-md bg-raised" />
          <div>
            <div className={`h-4 w-full ${BAR}`} />
            <div className={`mt-2 h-3 w-2/3 ${BAR}`} />
          </div>
        </div>
      ))}
    </div>
  );
}

/** How long the previous page is still shown, with the progress bar at the top. Most pages load faster than this. */
const SKELETON_DELAY_MS = 700;
/** Shorter than for a video, because the panel has nothing to show before the session is known. */
const ADMIN_SKELETON_DELAY_MS = 150;

/** The result of `useSlowVideoTimer`, shared by the page and its frame, which change together. */
export const SlowVideo = createContext(false);

/** Returns whether a video page is taking so long to load that its skeleton should be shown. */
export function useSlowVideo(): boolean {
  return useContext(SlowVideo);
}

export function useSlowVideoTimer(): boolean {
  const { state, location } = useNavigation();
  const hasFailed = useRequestFailure() !== undefined;
  const pending = state === "loading" && location.pathname.startsWith("/video/") && !hasFailed;
  return useDelayed(pending, SKELETON_DELAY_MS);
}

/** Returns whether the admin panel is being loaded from another page, while the session is being looked up. */
export function useSlowAdmin(): boolean {
  const { state, location } = useNavigation();
  const isPanel = useLocation().pathname === "/admin";
  const hasFailed = useRequestFailure() !== undefined;
  const isPending = state === "loading" && location.pathname === "/admin" && !isPanel && !hasFailed;
  return useDelayed(isPending, ADMIN_SKELETON_DELAY_MS);
}

function useDelayed(pending: boolean, delayMs: number): boolean {
  const [slow, setSlow] = useState(false);

  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => setSlow(true), delayMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [pending, delayMs]);

  return pending && slow;
}
