import { formatDuration } from "./format";

/** A video whose file ends before the video that it announces, by more than what rounding makes. */
export interface CutOff {
  /** What is there of it. */
  seconds: number;
  announcedSeconds: number;
}

/** Such as `This file was cut off: only 0:36 of 1:00 is there.` */
export function incompleteMessage({ seconds, announcedSeconds }: CutOff): string {
  return `This file was cut off: only ${formatDuration(seconds)} of ${formatDuration(announcedSeconds)} is there.`;
}
