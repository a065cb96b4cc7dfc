import fs from "node:fs";
import path from "node:path";

/**
 * Stands beside the files of a stream from before there is one of them until all are whole. Whatever
 * ends the encoder, a stream with it is never taken for a whole one.
 */
export const UNFINISHED = "unfinished";

/** Whether a file is of a stream that is still being made. */
export function isUnfinished(file: string): boolean {
  return STREAM_FILE.test(file) && fs.existsSync(path.join(path.dirname(file), UNFINISHED));
}

const STREAM_FILE = /\/hls-\w+\/[^/]+$/;
