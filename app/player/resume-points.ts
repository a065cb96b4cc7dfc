import { keep, readKept } from "./browser-storage";
import { RESUME_MAX_VIDEOS, RESUME_MIN_S } from "./constants";

/** Where each video was left, newest last, in this browser only. */
type Points = [id: string, seconds: number][];

function readPoints(): Points {
  const kept = readKept("resume");
  if (!Array.isArray(kept)) return [];
  return kept.filter(
    (point): point is [string, number] =>
      Array.isArray(point) && typeof point[0] === "string" && Number.isFinite(point[1]),
  );
}

/** Seconds, or undefined when there is nothing worth going on from. */
export function resumePoint(id: string): number | undefined {
  return readPoints().find(([kept]) => kept === id)?.[1];
}

/** Keeps the place, or forgets it at the very beginning and near the end. */
export function keepResumePoint(id: string, seconds: number, duration: number): void {
  const others = readPoints().filter(([kept]) => kept !== id);
  const left = duration - seconds;
  const worthIt = seconds >= RESUME_MIN_S && left >= Math.max(RESUME_MIN_S, duration * 0.05);
  if (worthIt) others.push([id, Math.floor(seconds)]);
  keep("resume", others.slice(-RESUME_MAX_VIDEOS));
}
