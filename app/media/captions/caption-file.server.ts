import { readFileSync } from "node:fs";
import { queryThread } from "~db/threads/query-thread.server";
import { CaptionsLimitError, type CaptionsOrigin, convertCaptions } from "./cues";

interface CaptionFile {
  file: string;
  origin: CaptionsOrigin;
}

type CaptionsAnswer = { webvtt: string | undefined } | { limit: string };

/** Runs on the thread of files. */
export function readCaptions({ file, origin }: CaptionFile): CaptionsAnswer {
  try {
    return { webvtt: convertCaptions(readFileSync(file), origin) };
  } catch (error) {
    if (error instanceof CaptionsLimitError) return { limit: error.message };
    throw error;
  }
}

/**
 * Reads a caption file (.srt or .vtt).
 *
 * @returns its WebVTT; undefined when there is no cue in it.
 * @throws {CaptionsLimitError} for more than any video has; its message is for the sender.
 */
export async function readCaptionFile(
  file: string,
  origin: CaptionsOrigin,
): Promise<string | undefined> {
  const answer = await queryThread<CaptionsAnswer>("files", "read-captions", { file, origin });
  if ("limit" in answer) throw new CaptionsLimitError(answer.limit);
  return answer.webvtt;
}
