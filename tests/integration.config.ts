// Settings for the integration tests in `npm test`, which runs nothing else at the same time.
import { availableParallelism } from "node:os";
import unitConfig, { INTEGRATION, workers } from "./vitest.config";

const { projects: _, ...test } = unitConfig.test ?? {};

export default {
  ...unitConfig,
  test: {
    ...test,
    ...INTEGRATION,
    // With only one worker per CPU, the CPUs would be idle nearly half of the time, because tests wait for processes
    // and state changes.
    ...workers(availableParallelism() + 1),
    // Test files in the same worker share its modules, because reloading the modules for each file took a third of the
    // CPU time. Tests that can't share modules are in `tests/isolated`.
    poolOptions: { ...test.poolOptions, forks: { ...test.poolOptions?.forks, isolate: false } },
    // The site's encoders run at the lowest priority, so they have to wait for the other workers.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
};
