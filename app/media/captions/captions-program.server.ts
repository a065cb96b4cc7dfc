import { readFileSync } from "node:fs";
import { answerQuestions } from "~db/threads/thread.server";
import { CaptionsLimitError, type CaptionsOrigin, convertCaptions } from "./cues";

/** The program of the thread that reads one caption file and answers with its WebVTT. */

export type CaptionsAnswer = { webvtt: string | undefined } | { limit: string };

answerQuestions(({ file, origin }: { file: string; origin: CaptionsOrigin }): CaptionsAnswer => {
  try {
    return { webvtt: convertCaptions(readFileSync(file), origin) };
  } catch (error) {
    if (error instanceof CaptionsLimitError) return { limit: error.message };
    throw error;
  }
});
