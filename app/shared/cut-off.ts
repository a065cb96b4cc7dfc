import { formatDuration } from "./format";

/** A file that is shorter than the duration in its header by more than a rounding error. */
export interface CutOff {
  /** The file's actual duration. */
  seconds: number;
  announcedSeconds: number;
}

/** Returns a message such as `The file is incomplete: it has only 0:36 of 1:00.` */
export function incompleteMessage({ seconds, announcedSeconds }: CutOff): string {
  return `The file is incomplete: it has only ${formatDuration(seconds)} of ${formatDuration(announcedSeconds)}.`;
}
