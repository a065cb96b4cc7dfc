// The integration tests as `npm test` runs them, beside nothing else.
import { availableParallelism } from "node:os";
import unitConfig, { INTEGRATION, workers } from "./vitest.config";

const { projects: _, ...test } = unitConfig.test ?? {};

export default {
  ...unitConfig,
  test: {
    ...test,
    ...INTEGRATION,
    // With one for each processor, nearly half of the time nobody works: they wait for processes and states.
    ...workers(availableParallelism() + 1),
    // Files of a worker share its modules; loading them anew took a third of the processor time. What
    // can't share them is in `tests/isolated`.
    poolOptions: { ...test.poolOptions, forks: { ...test.poolOptions?.forks, isolate: false } },
    // What the site converts has the lowest priority, and waits for what other workers do.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
};
