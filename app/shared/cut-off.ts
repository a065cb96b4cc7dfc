import { formatDuration } from "./format";

/** A file that is shorter than the duration in its header, by more than rounding. */
export interface CutOff {
  /** The duration that the file really has. */
  seconds: number;
  announcedSeconds: number;
}

/** Returns a message such as `The file is incomplete: it has only 0:36 of 1:00.` */
export function incompleteMessage({ seconds, announcedSeconds }: CutOff): string {
  return `The file is incomplete: it has only ${formatDuration(seconds)} of ${formatDuration(announcedSeconds)}.`;
}
