import { queryThread } from "~db/threads/query-thread.server";
import { CaptionsLimitError, type CaptionsOrigin } from "./cues";
import type { CaptionFile, CaptionsAnswer } from "./read-captions.server";

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
  const asked: CaptionFile = { file, origin };
  const answer = await queryThread<CaptionsAnswer>("files", "read-captions", asked);
  if ("limit" in answer) throw new CaptionsLimitError(answer.limit);
  return answer.webvtt;
}
