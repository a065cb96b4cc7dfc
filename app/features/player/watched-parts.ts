import { useLocation } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { continued } from "./continued";
import { savesData } from "./prefetch";
import { PLAYER_VIDEO_SELECTOR, type WatchedVideo } from "./types";

/** The module that tracks a view. It is loaded when playback begins. */
let loaded: typeof import("./watched-report") | undefined;

/**
 * Reports, once at the end of a view, which parts of the video were watched. Browsers that opt out of tracking or are
 * set to save data don't even load the code.
 *
 * @param isContinuation whether this visit continues a view that began on another page.
 */
export function useWatchedParts(
  video: WatchedVideo,
  enabled: boolean,
  isContinuation: boolean,
): void {
  const { id } = video;
  const visit = `${useLocation().key} ${id}`;
  const latest = useRef(video);
  latest.current = video;

  useEffect(() => {
    if (!enabled || hasOptedOut()) return;
    // Ends the mini player's view.
    if (!isContinuation) loaded?.endView();
    let isLeft = false;
    const begin = async ({ target }: Event) => {
      if (!(target instanceof HTMLVideoElement && target.matches(PLAYER_VIDEO_SELECTOR))) return;
      document.removeEventListener("timeupdate", begin, true);
      loaded = await import("./watched-report");
      if (!isLeft) loaded.beginView(visit, latest.current, target, isContinuation);
    };
    // Media events don't bubble, but they can be captured.
    document.addEventListener("timeupdate", begin, true);
    return () => {
      isLeft = true;
      document.removeEventListener("timeupdate", begin, true);
      // Ends the view unless the video continues in the mini player.
      if (continued.get()?.video.id !== id) loaded?.endView(visit);
    };
  }, [id, visit, enabled, isContinuation]);
}

function hasOptedOut(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & {
    globalPrivacyControl?: boolean;
  };
  return globalPrivacyControl === true || doNotTrack === "1" || savesData();
}
