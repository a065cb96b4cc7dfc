// The integration tests with modules that are loaded once per worker, not once per file: a third faster.
// What a file changes in a module, it puts back.
import { mergeConfig } from "vitest/config";
import unitConfig, { INTEGRATION } from "./vitest.config";

const { projects: _, ...test } = unitConfig.test ?? {};

export default mergeConfig(
  { ...unitConfig, test },
  { test: { ...INTEGRATION, poolOptions: { forks: { isolate: false } } } },
);
