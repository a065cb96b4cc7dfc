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
 * The minimum equals the maximum, because Tinypool terminates idle workers above the minimum, even while it is
 * assigning a file to one of them. The run then fails with "Terminating worker thread".
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
          // Each file has its own context, because React keeps using the document that it was loaded with. A separate
          // process for each file would take 50% more time.
          name: "components",
          pool: "vmForks",
          include: ["tests/unit/**/*.test.tsx"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          // Anything that these tests attach to the servers of their process would also affect the next test file, even
          // in another context.
          name: "isolated",
          pool: "forks",
          include: ["tests/isolated/**/*.test.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      // `npm test` runs these with integration.config.ts, which has more workers.
      { extends: true, test: { ...INTEGRATION, sequence: { groupOrder: 1 } } },
    ],
    reporters: ["default", "./tests/flaky-reporter.ts"],
    setupFiles: ["tests/setup.ts"],
    // Even on a busy machine, only a hanging test takes this long.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    env: { NODE_ENV: "test" },
    ...workers(Math.max(2, availableParallelism() - 1)),
    poolOptions: {
      forks: { execArgv: ["--import", keepAbort] },
      vmForks: { execArgv: ["--import", keepAbort] },
      // Reloading all modules for each file took half of these tests' CPU time.
      threads: { execArgv: ["--import", keepAbort], isolate: false },
    },
  },
});
