import { useEffect } from "react";
import { useListener } from "~/ui/use-listener";
import { playbackPosition } from "./playback-state";

/** Formats seconds: 5 -> "0:05", 3723 -> "1:02:03". An unknown time is "0:00". */
export function formatTime(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "0:00";
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/**
 * Clamps a time to the range from 0 to the duration. If the duration is unknown or infinite, there is no upper limit.
 */
export function clampTime(seconds: number, duration: number): number {
  const end = Number.isFinite(duration) ? duration : Number.POSITIVE_INFINITY;
  return Math.min(Math.max(seconds, 0), end);
}

/**
 * Parses the start time in a link: `90`, `90s`, `1m30s`, `1h2m3s`, `1:30`. Returns undefined for anything else.
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

/** Returns the page's URL with a start time and without any other parameters. */
export function linkAt(location: { origin: string; pathname: string }, seconds: number): string {
  const whole = Math.floor(seconds);
  return `${location.origin}${location.pathname}${whole > 0 ? `?t=${whole}` : ""}`;
}

/** Returns the end of the buffered range that contains the given time, or 0. */
export function bufferedEnd(buffered: TimeRanges, time: number): number {
  for (let i = 0; i < buffered.length; i++) {
    if (buffered.start(i) <= time + 0.5 && time <= buffered.end(i)) return buffered.end(i);
  }
  return 0;
}

const EVENTS = "timeupdate seeking seeked progress loadedmetadata durationchange emptied";

/**
 * Calls `write` with the current time, in seconds, whenever the element reports one. `write` updates the DOM directly,
 * because four React renders a second would be noticeable on a slow phone.
 */
export function useMediaTime(element: HTMLVideoElement, write: (seconds: number) => void): void {
  const report = () => write(playbackPosition(element).seconds);
  useListener(element, EVENTS, report);
  useEffect(report, [element]);
}

/**
 * Updates text that changes often. The text node is kept, because replacing a child makes the browser re-evaluate every
 * `:has()` rule.
 */
export function writeText(element: HTMLElement, text: string): void {
  const node = element.firstChild;
  if (!node) element.textContent = text;
  else if (node.nodeValue !== text) node.nodeValue = text;
}
