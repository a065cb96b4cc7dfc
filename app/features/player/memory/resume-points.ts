import { useEffect, useState } from "react";
import {
  rememberFinished,
  watchHistory,
  writeWatchHistory,
} from "~/features/visitor/watch-history";
import type { Commands } from "../commands";
import { RESUME_MAX_VIDEOS, RESUME_MIN_S, RESUME_SAVE_EVERY_S } from "../constants";
import { parseStart } from "../media-time";

/** Seconds, or undefined when there is nothing worth going on from. */
export function resumePoint(id: string): number | undefined {
  return watchHistory().find(([stored]) => stored === id)?.[1];
}

/** Saves the position, or deletes it at the very beginning and near the end. */
export function saveResumePoint(id: string, seconds: number, duration: number): void {
  const others = watchHistory().filter(([stored]) => stored !== id);
  const left = duration - seconds;
  const worthIt = seconds >= RESUME_MIN_S && left >= Math.max(RESUME_MIN_S, duration * 0.05);
  if (worthIt) others.push([id, Math.floor(seconds)]);
  else if (seconds >= RESUME_MIN_S) rememberFinished(id);
  writeWatchHistory(others.slice(-RESUME_MAX_VIDEOS));
}

/** Saves the position of what plays, and says so each time. */
export function saveResumePoints(
  element: HTMLVideoElement,
  id: string,
  onSave: () => void,
): () => void {
  let savedAt = 0;
  const savePosition = () => {
    const { currentTime, duration } = element;
    if (currentTime < RESUME_MIN_S || !Number.isFinite(duration)) return;
    onSave();
    savedAt = currentTime;
    saveResumePoint(id, currentTime, duration);
  };
  const onTime = () => {
    if (Math.abs(element.currentTime - savedAt) >= RESUME_SAVE_EVERY_S) savePosition();
  };
  const stop = new AbortController();
  element.addEventListener("timeupdate", onTime, stop);
  element.addEventListener("pause", savePosition, stop);
  element.addEventListener("ended", savePosition, stop);
  window.addEventListener("pagehide", savePosition, stop);
  return () => stop.abort();
}

/**
 * The saved position of this video, which the visitor may resume from, and the saving of it. A link
 * that names a time (`?t=`, or `#t=`, which no server is told) starts there instead.
 */
export function useResume(element: HTMLVideoElement, commands: Commands, id: string) {
  const [position, setPosition] = useState<number>();

  useEffect(() => {
    const { search, hash } = window.location;
    const named = [search, hash.slice(1)].map((text) => new URLSearchParams(text).get("t"));
    const start = parseStart(named[0] ?? named[1] ?? null);
    const begun = !element.paused || element.currentTime > 0;
    if (start !== undefined && !begun) commands.seekTo(start);
    let shown = start === undefined && !begun ? resumePoint(id) : undefined;
    setPosition(shown);

    return saveResumePoints(element, id, () => {
      // Setting what is set already may render once all the same.
      if (shown !== undefined) setPosition(undefined);
      shown = undefined;
    });
  }, [element, commands, id]);

  return { position, dismiss: () => setPosition(undefined) };
}
