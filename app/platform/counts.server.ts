import { processState } from "~db/runtime.server";

/** Counters for `/metrics` since the process started. They don't contain anything about visitors. */
export const counts = processState("counts", () => ({
  pageCacheHits: 0,
  pageCacheMisses: 0,
  signInFailures: 0,
  /** The number of bytes of video files that were sent. */
  mediaBytes: 0,
}));
