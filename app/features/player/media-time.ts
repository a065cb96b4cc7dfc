import { useEffect } from "react";
import { useListener } from "~/ui/use-listener";
import { playbackPosition } from "./playback-state";

/** 5 -> "0:05", 3723 -> "1:02:03". What is not yet known is "0:00". */
export function formatTime(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "0:00";
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** Into 0 to duration; only upwards of 0 while the duration is unknown or endless. */
export function clampTime(seconds: number, duration: number): number {
  const end = Number.isFinite(duration) ? duration : Number.POSITIVE_INFINITY;
  return Math.min(Math.max(seconds, 0), end);
}

/**
 * The start in a link: `90`, `90s`, `1m30s`, `1h2m3s`, `1:30`. Anything else is undefined.
 */
export function parseStart(text: string | null): number | undefined {
  if (!text) return undefined;
  if (/^\d{1,6}(\.\d{1,3})?s?$/.test(text)) return Number.parseFloat(text);
  const clock = /^(?:(\d{1,3}):)?(\d{1,3}):(\d{2})$/.exec(text);
  const units = /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s)?$/.exec(text);
  const match = clock ?? units;
  if (!match) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return hours * 3600 + minutes * 60 + seconds;
}

/** The page's own address with the time to start at, without what led the sharer here. */
export function linkAt(location: { origin: string; pathname: string }, seconds: number): string {
  const whole = Math.floor(seconds);
  return `${location.origin}${location.pathname}${whole > 0 ? `?t=${whole}` : ""}`;
}

/** What has been loaded around the current time: the end of that range, or 0. */
export function bufferedEnd(buffered: TimeRanges, time: number): number {
  for (let i = 0; i < buffered.length; i++) {
    if (buffered.start(i) <= time + 0.5 && time <= buffered.end(i)) return buffered.end(i);
  }
  return 0;
}

const EVENTS = "timeupdate seeking seeked progress loadedmetadata durationchange emptied";

/**
 * Calls `write` with the current time, in seconds, whenever the element reports one. It writes to
 * the page by itself: a React render four times a second would be felt on a slow phone.
 */
export function useMediaTime(element: HTMLVideoElement, write: (seconds: number) => void): void {
  const report = () => write(playbackPosition(element).seconds);
  useListener(element, EVENTS, report);
  useEffect(report, [element]);
}

/**
 * Writes a text that changes often. The node stays: another child would make the browser look at
 * every rule about what an element has in it.
 */
export function writeText(element: HTMLElement, text: string): void {
  const node = element.firstChild;
  if (!node) element.textContent = text;
  else if (node.nodeValue !== text) node.nodeValue = text;
}
