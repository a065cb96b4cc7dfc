import { queryThread } from "~db/threads/query-thread.server";
import { CaptionsLimitError, type CaptionsOrigin } from "./cues";
import type { CaptionFile, CaptionsResult } from "./read-captions.server";

/**
 * Converts a caption file (.srt or .vtt) to WebVTT, in a worker thread.
 *
 * @returns the WebVTT; undefined if the file has no cues.
 * @throws {CaptionsLimitError} if the file exceeds a limit; the message is shown to the uploader.
 */
export async function readCaptionFile(
  file: string,
  origin: CaptionsOrigin,
): Promise<string | undefined> {
  const task: CaptionFile = { file, origin };
  const answer = await queryThread<CaptionsResult>("files", "read-captions", task);
  if ("limit" in answer) throw new CaptionsLimitError(answer.limit);
  return answer.webvtt;
}
