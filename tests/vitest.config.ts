import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { alias } from "../vite.config";

const keepAbort = new URL("keep-abort.mjs", import.meta.url).href;
const INTEGRATION_SETUP = ["tests/integration/template-database.ts", "tests/build-site.ts"];
/** Often they wait for processes of their own, or for a state: one more than there are processors. */
const INTEGRATION_WORKERS = availableParallelism() + 1;
/** Tests that put another module in the place of one of the site. */
const ISOLATED = ["tests/integration/**/*.isolated.test.ts"];

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
          name: "components",
          include: ["tests/unit/**/*.test.tsx"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["tests/integration/**/*.test.{ts,tsx}"],
          exclude: ISOLATED,
          globalSetup: INTEGRATION_SETUP,
          maxWorkers: INTEGRATION_WORKERS,
          poolOptions: { forks: { isolate: false } },
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: ISOLATED,
          globalSetup: INTEGRATION_SETUP,
          maxWorkers: INTEGRATION_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    reporters: ["default", "./tests/flaky-reporter.ts"],
    setupFiles: ["tests/setup.ts"],
    // Only a hang takes so long, also on a machine that does other things.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    env: { NODE_ENV: "test" },
    maxWorkers: Math.max(2, availableParallelism() - 1),
    poolOptions: {
      forks: { execArgv: ["--import", keepAbort] },
      // All modules anew for each file took half of the processor time of what tests only rules.
      threads: { execArgv: ["--import", keepAbort], isolate: false },
    },
  },
});
