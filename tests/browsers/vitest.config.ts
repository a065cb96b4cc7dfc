import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { alias } from "../../vite.config";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { alias },
  test: {
    include: ["tests/browsers/**/*.test.ts"],
    globalSetup: ["tests/e2e/build-site.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
