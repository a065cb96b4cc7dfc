import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { alias } from "../vite.config";

const keepAbort = new URL("keep-abort.mjs", import.meta.url).href;
export const INTEGRATION = {
  name: "integration",
  include: ["tests/integration/**/*.test.{ts,tsx}"],
  globalSetup: ["tests/integration/template-database.ts", "tests/build-site.ts"],
};

/**
 * As many at least as at most: Tinypool ends a worker above the minimum that is idle for a moment, also when
 * it is just being given a file, and the run ends with "Terminating worker thread".
 */
export const workers = (count: number) => ({ minWorkers: count, maxWorkers: count });

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: { alias },
  esbuild: { jsx: "automatic" },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "rules",
          include: ["tests/unit/**/*.test.ts"],
          pool: "threads",
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          // Each file has a context of its own: React keeps the document that it was loaded with. A process
          // for each would take half as much time again.
          name: "components",
          pool: "vmForks",
          include: ["tests/unit/**/*.test.tsx"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          // What these attach to the servers of their process stays for the next file, in another context too.
          name: "isolated",
          pool: "forks",
          include: ["tests/isolated/**/*.test.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      // `npm test` runs these by integration.config.ts, with more workers.
      { extends: true, test: { ...INTEGRATION, sequence: { groupOrder: 1 } } },
    ],
    reporters: ["default", "./tests/flaky-reporter.ts"],
    setupFiles: ["tests/setup.ts"],
    // Only a hang takes so long, also on a machine that does other things.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    env: { NODE_ENV: "test" },
    ...workers(Math.max(2, availableParallelism() - 1)),
    poolOptions: {
      forks: { execArgv: ["--import", keepAbort] },
      vmForks: { execArgv: ["--import", keepAbort] },
      // All modules anew for each file took half of the processor time of what tests only rules.
      threads: { execArgv: ["--import", keepAbort], isolate: false },
    },
  },
});
