// The integration tests with modules that are loaded once per worker, not once per file: a third faster.
// What a file changes in a module, it puts back.
import { availableParallelism } from "node:os";
import { mergeConfig } from "vitest/config";
import unitConfig, { INTEGRATION, workers } from "./vitest.config";

const { projects: _, ...test } = unitConfig.test ?? {};

export default mergeConfig(
  { ...unitConfig, test },
  {
    test: {
      ...INTEGRATION,
      poolOptions: { forks: { isolate: false } },
      // With one for each processor, nearly half of the time nobody works: they wait for processes and states.
      ...workers(availableParallelism() + 1),
      // What the site converts has the lowest priority, and waits for what other workers do.
      testTimeout: 180_000,
      hookTimeout: 180_000,
    },
  },
);
