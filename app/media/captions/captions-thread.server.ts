import { childEnvironment } from "~/platform/settings.server";
import { findProgram } from "~/shared/program.server";
import { createThread } from "~db/threads/thread.server";
import type { CaptionsAnswer } from "./captions-program.server";
import { CaptionsLimitError, type CaptionsOrigin } from "./cues";

const MAX_MS = 10_000;
const MAX_MEMORY_MIB = 256;

/**
 * Reads a caption file (.srt or .vtt) in its own thread, which is terminated when it takes too long.
 *
 * @returns its WebVTT; undefined when there is no cue in it.
 * @throws {CaptionsLimitError} for more than any video has; its message is for the sender.
 */
export async function readCaptionFile(
  file: string,
  origin: CaptionsOrigin,
): Promise<string | undefined> {
  const thread = createThread("captions", findProgram("captions-program", import.meta.url), {
    env: childEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MIB },
  });
  let isTooLong = false;
  const timer = setTimeout(() => {
    isTooLong = true;
    void thread.terminate();
  }, MAX_MS);
  try {
    const answer = await thread.ask<CaptionsAnswer>({ file, origin }).catch((error) => {
      const isTooMuch = isTooLong || error.code === "ERR_WORKER_OUT_OF_MEMORY";
      throw isTooMuch ? new CaptionsLimitError("This caption file takes too long to read.") : error;
    });
    if ("limit" in answer) throw new CaptionsLimitError(answer.limit);
    return answer.webvtt;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
