import { useLocation } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { continued } from "./continued";
import { savesData } from "./primed-start";
import { PLAYED, type WatchedVideo } from "./types";

/** What follows a view, once one has begun. */
let loaded: typeof import("./watched-report") | undefined;

/**
 * Has the parts reported that were watched in this view, once, when it ends. Whoever asks not to be
 * tracked, or to save data, loads not even what would do it.
 *
 * @param goesOn the view began on another page: it is no new one.
 */
export function useWatchedParts(video: WatchedVideo, enabled: boolean, goesOn: boolean): void {
  const { id } = video;
  const visit = `${useLocation().key} ${id}`;
  const latest = useRef(video);
  latest.current = video;

  useEffect(() => {
    if (!enabled || asksNotToBeCounted()) return;
    // What has gone on in the corner until now.
    if (!goesOn) loaded?.endView();
    let isLeft = false;
    const begin = async ({ target }: Event) => {
      if (!(target instanceof HTMLVideoElement && target.matches(PLAYED))) return;
      document.removeEventListener("timeupdate", begin, true);
      loaded = await import("./watched-report");
      if (!isLeft) loaded.beginView(visit, latest.current, target, goesOn);
    };
    // Media events do not bubble, but they are captured.
    document.addEventListener("timeupdate", begin, true);
    return () => {
      isLeft = true;
      document.removeEventListener("timeupdate", begin, true);
      // Not where it goes on in the corner of the next page.
      if (continued.get()?.video.id !== id) loaded?.endView(visit);
    };
  }, [id, visit, enabled, goesOn]);
}

function asksNotToBeCounted(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & {
    globalPrivacyControl?: boolean;
  };
  return globalPrivacyControl === true || doNotTrack === "1" || savesData();
}
