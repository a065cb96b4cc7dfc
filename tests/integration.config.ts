// Settings for the integration tests as run by `npm test`, with nothing else running at the same time.
import { availableParallelism } from "node:os";
import unitConfig, { INTEGRATION, workers } from "./vitest.config";

const { projects: _, ...test } = unitConfig.test ?? {};

export default {
  ...unitConfig,
  test: {
    ...test,
    ...INTEGRATION,
    // With one worker per CPU, the CPUs would be idle nearly half of the time, because tests spend time waiting for
    // processes and state changes.
    ...workers(availableParallelism() + 1),
    // The files run by a worker share its modules, because reloading them took a third of the CPU time. Tests that
    // can't share modules are in `tests/isolated`.
    poolOptions: { ...test.poolOptions, forks: { ...test.poolOptions?.forks, isolate: false } },
    // The site's encoders run at the lowest priority, so they have to wait for the other workers.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
};
