/** Counted where it happens, since the start, for whoever reads `/metrics`: numbers, and nothing of whom. */
export const counts = { pageCacheHits: 0, pageCacheMisses: 0, signInFailures: 0 };
