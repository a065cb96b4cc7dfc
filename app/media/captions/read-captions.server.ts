import { readFileSync } from "node:fs";
import { CaptionsLimitError, type CaptionsOrigin, convertCaptions } from "./cues";

export interface CaptionFile {
  file: string;
  origin: CaptionsOrigin;
}

export type CaptionsResult = { webvtt: string | undefined } | { limit: string };

/** This module runs in the files thread, which must not import modules that send queries to that thread. */
export function readCaptions({ file, origin }: CaptionFile): CaptionsResult {
  try {
    return { webvtt: convertCaptions(readFileSync(file), origin) };
  } catch (error) {
    if (error instanceof CaptionsLimitError) return { limit: error.message };
    throw error;
  }
}
