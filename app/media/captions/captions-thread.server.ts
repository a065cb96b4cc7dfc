import { Worker } from "node:worker_threads";
import { childEnvironment } from "~/server/settings.server";
import { findProgram } from "../program.server";
import type { CaptionsAnswer } from "./captions-program.server";
import type { CaptionsOrigin } from "./convert";
import { CaptionsLimitError } from "./cues";

const MOST_MS = 10_000;
const MOST_MEMORY_MIB = 256;

/**
 * Reads a caption file (.srt or .vtt) on a thread of its own, which is ended when it takes too long.
 *
 * @returns its WebVTT; undefined when there is no cue in it.
 * @throws {CaptionsLimitError} for more than any film has; its message is for the sender.
 */
export async function readCaptionFile(
  file: string,
  origin: CaptionsOrigin,
): Promise<string | undefined> {
  const worker = startThread({ file, origin });
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = await new Promise<CaptionsAnswer>((resolve, reject) => {
      const tooMuch = () =>
        reject(new CaptionsLimitError("This caption file takes too long to read."));
      timer = setTimeout(tooMuch, MOST_MS);
      worker.once("message", resolve);
      worker.once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ERR_WORKER_OUT_OF_MEMORY") tooMuch();
        else reject(error);
      });
      worker.once("exit", () => reject(new Error("The thread for captions ended.")));
    });
    if ("limit" in answer) throw new CaptionsLimitError(answer.limit);
    return answer.webvtt;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function startThread(workerData: { file: string; origin: CaptionsOrigin }): Worker {
  const program = findProgram("captions-program", import.meta.url);
  const options = {
    workerData,
    env: childEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MIB },
  };
  if (!program.loader) return new Worker(program.file, options);
  const source = `import("tsx/esm/api").then((tsx) => {
    tsx.register();
    return import(${JSON.stringify(`file://${program.file}`)});
  });`;
  return new Worker(source, { ...options, eval: true, execArgv: [] });
}
