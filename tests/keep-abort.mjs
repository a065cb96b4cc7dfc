// Saves Node's AbortController for setup.ts before jsdom replaces it.
globalThis.nodeGlobals = { AbortController };
