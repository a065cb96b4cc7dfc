// Loaded before jsdom puts its own in its place; setup.ts needs it.
globalThis.nodesOwn = { AbortController };
