// Tests that need other browsers, an object store or sites created by earlier versions, or that run for minutes. `npm
// run test:all` runs them after `npm test`.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { alias } from "../vite.config";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: { alias },
  test: {
    include: ["tests/{browsers,encoding,s3,torture,upgrades}/**/*.test.ts"],
    reporters: ["default", "./tests/flaky-reporter.ts"],
    globalSetup: ["tests/integration/template-database.ts", "tests/build-site.ts"],
    setupFiles: ["tests/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    env: { NODE_ENV: "test" },
    maxWorkers: 2,
  },
});
