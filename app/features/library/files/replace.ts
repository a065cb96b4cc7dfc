/** Replacing the file of a video: what forms and pages of it share. */

import type { Cut } from "~/media/encode/artifact";

/** A question that has to be answered before a file that has arrived replaces another. */
export interface ReplaceQuestion {
  /** Names the file, which waits on the server. */
  upload: string;
  fileName: string;
  kind: "duplicate" | "cut off" | "terms";
}

/** Another file of a video, as the studio shows it. */
export interface OtherFile {
  id: string;
  duration: string;
  bytes: number;
  /** When it was sent, or was replaced; ISO 8601 UTC. */
  at: string;
  /** The e-mail of who did that; null when that account is gone. */
  by: string | null;
  /** From which second of its original to which, when it is a cut. */
  cut?: Cut;
}

/** All files of a video but the one it has. */
export interface OtherFiles {
  /** It replaces the file once it is ready. */
  pending?: OtherFile & {
    /** It can be played, though not all is made of it. */
    isPlayable: boolean;
    /** Something that it needs has failed for good. */
    hasFailed: boolean;
    /** Why the video doesn't switch to it when it is ready. */
    waitsFor?: string;
  };
  /** What the video's file was cut from, kept for as long as it has that. */
  original?: OtherFile;
  earlier: OtherFile[];
}

export const WHEN_READY = "The old file plays until the new one is ready.";
