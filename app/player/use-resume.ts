import { useEffect, useState } from "react";
import type { Commands } from "./commands";
import { RESUME_MIN_S, RESUME_SAVE_EVERY_S } from "./constants";
import { keepResumePoint, resumePoint } from "./resume-points";
import { parseStart } from "./times";

/**
 * The place where this video was left, to be offered; and the keeping of it. A link that names a
 * time (`?t=`) starts there instead.
 */
export function useResume(element: HTMLVideoElement, commands: Commands, id: string) {
  const [offer, setOffer] = useState<number>();

  useEffect(() => {
    const start = parseStart(new URLSearchParams(window.location.search).get("t"));
    const begun = !element.paused || element.currentTime > 0;
    if (start !== undefined && !begun) commands.seekTo(start);
    let offered = start === undefined && !begun ? resumePoint(id) : undefined;
    setOffer(offered);

    let keptAt = 0;
    const keepPlace = () => {
      const { currentTime, duration } = element;
      if (currentTime < RESUME_MIN_S || !Number.isFinite(duration)) return;
      // Setting what is set already may render once all the same.
      if (offered !== undefined) setOffer(undefined);
      offered = undefined;
      keptAt = currentTime;
      keepResumePoint(id, currentTime, duration);
    };
    const onTime = () => {
      if (Math.abs(element.currentTime - keptAt) >= RESUME_SAVE_EVERY_S) keepPlace();
    };
    element.addEventListener("timeupdate", onTime);
    element.addEventListener("pause", keepPlace);
    element.addEventListener("ended", keepPlace);
    window.addEventListener("pagehide", keepPlace);
    return () => {
      element.removeEventListener("timeupdate", onTime);
      element.removeEventListener("pause", keepPlace);
      element.removeEventListener("ended", keepPlace);
      window.removeEventListener("pagehide", keepPlace);
    };
  }, [element, commands, id]);

  return { offer, dismiss: () => setOffer(undefined) };
}
