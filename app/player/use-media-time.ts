import { useEffect, useRef } from "react";
import { placeOf } from "./continue-at";

const EVENTS = [
  "timeupdate",
  "seeking",
  "seeked",
  "progress",
  "loadedmetadata",
  "durationchange",
  "emptied",
] as const;

/**
 * Calls `write` with the current time, in seconds, whenever the element reports one. It writes to
 * the page by itself: a React render four times a second would be felt on a slow phone.
 */
export function useMediaTime(element: HTMLVideoElement, write: (seconds: number) => void): void {
  const latest = useRef(write);
  latest.current = write;
  useEffect(() => {
    const tell = () => latest.current(placeOf(element).at);
    for (const event of EVENTS) element.addEventListener(event, tell);
    tell();
    return () => {
      for (const event of EVENTS) element.removeEventListener(event, tell);
    };
  }, [element]);
}
