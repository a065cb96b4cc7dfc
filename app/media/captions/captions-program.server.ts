import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type CaptionsOrigin, convertCaptions } from "./convert";
import { CaptionsLimitError } from "./cues";

/** The program of the thread that reads one caption file, answers with its WebVTT, and ends. */

export type CaptionsAnswer = { webvtt: string | undefined } | { limit: string };

const { file, origin } = workerData as { file: string; origin: CaptionsOrigin };

function answer(): CaptionsAnswer {
  try {
    return { webvtt: convertCaptions(readFileSync(file), origin) };
  } catch (error) {
    if (error instanceof CaptionsLimitError) return { limit: error.message };
    throw error;
  }
}

parentPort?.postMessage(answer());
