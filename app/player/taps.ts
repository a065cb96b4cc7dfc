import { DOUBLE_TAP_WINDOW_MS, SEEK_STEP_S } from "./constants";

export type Side = "left" | "right";

/** Taps that follow each other within the double-tap window. */
export interface TapSeries {
  /** Milliseconds, of the last tap. */
  at: number;
  side: Side;
  /** 1 may become a toggle of play; each one past it is a seek. */
  count: number;
}

/**
 * The series that a tap begins or goes on with. Two taps on different halves are still a double
 * tap, of the half where the second one lands: fingers stray over the middle.
 */
export function nextTap(previous: TapSeries | undefined, at: number, side: Side): TapSeries {
  const follows = previous !== undefined && at - previous.at <= DOUBLE_TAP_WINDOW_MS;
  return { at, side, count: follows ? previous.count + 1 : 1 };
}

/** Seconds to seek for the last tap of a series; 0 for the first, which only may toggle play. */
export function seekOf(series: TapSeries): number {
  if (series.count < 2) return 0;
  return series.side === "right" ? SEEK_STEP_S : -SEEK_STEP_S;
}

export function sideOf(x: number, box: { left: number; width: number }): Side {
  return x < box.left + box.width / 2 ? "left" : "right";
}
