import { processState } from "~db/runtime.server";

/** Counted where it happens, since the start, for whoever reads `/metrics`: numbers, and nothing of whom. */
export const counts = processState("counts", () => ({
  pageCacheHits: 0,
  pageCacheMisses: 0,
  signInFailures: 0,
  /** Bytes of video files that were sent. */
  mediaBytes: 0,
}));
